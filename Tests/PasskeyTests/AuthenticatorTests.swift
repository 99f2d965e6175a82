import Crypto
import PasskeyProtocol
import Testing

@Suite("An authenticator's answers")
struct AuthenticatorTests {
    private let keychain = ModelKeychain()

    private static let hash = [UInt8](repeating: 7, count: 32)

    private func authenticator() -> Authenticator<ModelKeychain> {
        let keychain = keychain
        return Authenticator(keychain) { keychain.time }
    }

    static func registration(
        _ site: String = "example.com",
        user: [UInt8] = [1],
        options: CBORMap = ["rk": true],
        more: CBORMap = CBORMap()
    ) -> [UInt8] {
        var map: CBORMap = [
            1: .bytes(hash), 2: ["id": .text(site), "name": "A site"],
            3: ["id": .bytes(user), "name": "ada", "displayName": "Ada"],
            4: [["alg": -7, "type": "public-key"]], 7: .map(options),
        ]
        for entry in more.entries { map[entry.key] = entry.value }
        return [1] + CBORValue.map(map).encoded
    }

    static func logIn(_ site: String = "example.com", allowed: [[UInt8]] = [], options: CBORMap = CBORMap()) -> [UInt8]
    {
        var map: CBORMap = [1: .text(site), 2: .bytes(hash)]
        if !allowed.isEmpty {
            map[3] = .array(allowed.map { .map(["id": .bytes($0), "type": "public-key"]) })
        }
        if !options.isEmpty { map[5] = .map(options) }
        return [2] + CBORValue.map(map).encoded
    }

    /// What an answer says: its status, and its map.
    static func read(_ answer: [UInt8]) -> (status: CTAPStatus?, map: CBORMap) {
        let map = (try? CBORValue(decoding: answer.dropFirst()))?.map ?? CBORMap()
        return (answer.first.flatMap(CTAPStatus.init), map)
    }

    private static func flags(_ map: CBORMap) -> UInt8 { map[2]?.bytes?.dropFirst(32).first ?? 0 }

    // MARK: - Signatures

    @Test func `a registration and a log-in are signed by the passkey, over what is answered`() throws {
        var authenticator = authenticator()
        let made = Self.read(authenticator.answer(Self.registration()))
        #expect(made.status == .success)
        let passkey = try #require(keychain.kept.first)
        let key = try P256.Signing.PublicKey(x963Representation: passkey.publicKey)
        let data = try #require(made.map[2]?.bytes)
        let statement = try #require(made.map[3]?.map?["sig"]?.bytes)
        #expect(key.isValidSignature(try .init(derRepresentation: statement), for: data + Self.hash))
        #expect(data.prefix(32) == Array(SHA256.hash(data: Array("example.com".utf8)))[...])

        let login = Self.read(authenticator.answer(Self.logIn()))
        let asserted = try #require(login.map[2]?.bytes)
        let signature = try #require(login.map[3]?.bytes)
        #expect(key.isValidSignature(try .init(derRepresentation: signature), for: asserted + Self.hash))
        #expect(login.map[4]?.map?["id"] == .bytes([1]))
    }

    @Test func `the flags say who was there, and where the passkey may be`() throws {
        let places: [(Passkey.Kind, isShared: Bool, flags: UInt8)] = [
            (.thisDevice, true, 0), (.synchronizable, true, 0x18), (.synchronizable, false, 0x08),
        ]
        for (kind, isShared, shared) in places {
            let keychain = ModelKeychain(kind)
            keychain.change { $0.isShared = isShared }
            var authenticator = Authenticator(keychain) { 0 }
            let made = Self.read(authenticator.answer(Self.registration()))
            #expect(Self.flags(made.map) == 0x45 | shared)
            let seen = Self.read(authenticator.answer(Self.logIn()))
            #expect(Self.flags(seen.map) == 0x01 | shared)
            let verified = Self.read(authenticator.answer(Self.logIn(options: ["uv": true])))
            #expect(Self.flags(verified.map) == 0x05 | shared)
            let id = try #require(keychain.kept.first?.id)
            let silent = Self.read(authenticator.answer(Self.logIn(allowed: [id], options: ["up": false])))
            #expect(Self.flags(silent.map) == shared)
        }
    }

    // MARK: - Who is asked

    @Test func `nothing is signed for a person who says no`() {
        var authenticator = authenticator()
        _ = authenticator.answer(Self.registration())
        keychain.change { $0.refusal = .operationDenied }
        #expect(authenticator.answer(Self.registration(user: [2])) == [0x27])
        #expect(authenticator.answer(Self.logIn()) == [0x27])
        #expect(authenticator.answer(Self.logIn(options: ["uv": true])) == [0x27])
        #expect(keychain.kept.count == 1)
    }

    @Test func `without a list of passkeys, the owner is asked before anything is told`() throws {
        var authenticator = authenticator()
        #expect(authenticator.answer(Self.logIn()) == [0x2E])
        #expect(try keychain.questions == [.use(site: RelyingParty("example.com"), users: [])])
        #expect(authenticator.answer(Self.logIn(options: ["up": false])) == [0x2E])
        #expect(keychain.questions.count == 1)
    }

    @Test func `a silent question is answered with a signature that is no passkey's`() throws {
        var authenticator = authenticator()
        _ = authenticator.answer(Self.registration())
        let passkey = try #require(keychain.kept.first)
        let asked = keychain.questions.count
        let answer = Self.read(authenticator.answer(Self.logIn(allowed: [passkey.id], options: ["up": false])))
        let key = try P256.Signing.PublicKey(x963Representation: passkey.publicKey)
        let signature = try P256.Signing.ECDSASignature(derRepresentation: try #require(answer.map[3]?.bytes))
        #expect(!key.isValidSignature(signature, for: try #require(answer.map[2]?.bytes) + Self.hash))
        #expect(keychain.questions.count == asked)
    }

    @Test func `of a locked keychain the owner is asked first, and what the site has is looked for then`() throws {
        var authenticator = authenticator()
        _ = authenticator.answer(Self.registration())
        keychain.change { $0.isLocked = true }
        let login = Self.read(authenticator.answer(Self.logIn()))
        #expect(login.status == .success)
        #expect(try keychain.questions.last == .use(site: RelyingParty("example.com"), users: []))
    }

    @Test func `the next assertion follows at once, for the same client, or not at all`() throws {
        var authenticator = authenticator()
        for user in [UInt8(1), 2, 3] { _ = authenticator.answer(Self.registration(user: [user])) }
        #expect(authenticator.answer([8]) == [0x30])
        let logIn = Self.logIn(options: ["uv": true])
        let first = Self.read(authenticator.answer(logIn))
        #expect(first.map[5] == 3)
        #expect(authenticator.answer([8], on: 2) == [0x30])
        keychain.change { $0.time = 29_000 }
        #expect(Self.read(authenticator.answer([8])).status == .success)
        keychain.change { $0.time = 60_000 }
        #expect(authenticator.answer([8]) == [0x30])
        _ = authenticator.answer(logIn)
        #expect(authenticator.answer([6, 0xA2, 1, 2, 2, 2]).first == 0)
        #expect(authenticator.answer([8]) == [0x30])
    }

    // MARK: - What is kept

    @Test func `a passkey takes the place of one that its account has, and the question says so`() throws {
        var authenticator = authenticator()
        _ = authenticator.answer(Self.registration())
        let old = try #require(keychain.kept.first)
        _ = authenticator.answer(Self.registration())
        #expect(keychain.questions.last == .replace(site: old.site, old: old.user))
        #expect(keychain.kept.count == 1 && keychain.kept.first != old)
        #expect(keychain.questions.count == 2)
        // Of a locked keychain that is known after the first answer.
        keychain.change { $0.isLocked = true }
        _ = authenticator.answer(Self.registration())
        #expect(
            keychain.questions.suffix(2) == [
                .make(site: old.site, user: old.user), .replace(site: old.site, old: old.user),
            ]
        )
    }

    @Test func `a registration that fails keeps nothing, and replaces nothing`() throws {
        var authenticator = authenticator()
        _ = authenticator.answer(Self.registration())
        let before = keychain.kept
        keychain.change { $0.canSign = false }
        #expect(authenticator.answer(Self.registration()) == [0x7F])
        #expect(keychain.kept == before)
    }

    @Test(arguments: [".dummy", "localhost"])
    func `a registration that only asks which device is meant keeps nothing`(_ site: String) throws {
        var authenticator = authenticator()
        let user: CBORValue = ["id": .bytes([1]), "name": "dummy", "displayName": "dummy"]
        let answer = Self.read(authenticator.answer(Self.registration(site, options: CBORMap(), more: [3: user])))
        #expect(answer.status == .success && answer.map[1] == "packed")
        #expect(keychain.questions == [.select])
        #expect(keychain.kept.isEmpty)
    }

    // MARK: - What is refused

    @Test(
        arguments: [
            ([], 0x01), ([0x03], 0x01), ([0x40], 0x01), ([0x07], 0x30), ([0x01], 0x12), ([0x01, 0xA0], 0x14),
            ([0x01, 0x80], 0x11), ([0x02, 0xBF], 0x12), ([0x06, 0xA2, 1, 1, 2, 5], 0x3E), ([0x0A, 0xA1, 1, 1], 0x36),
            ([0x0A, 0xA1, 1, 9], 0x3E),
        ] as [([UInt8], UInt8)]
    )
    func `a request that is none is refused by its code`(_ message: [UInt8], _ code: UInt8) {
        var authenticator = authenticator()
        #expect(authenticator.answer(message) == [code])
        #expect(keychain.questions.isEmpty)
    }

    @Test func `what a registration may not ask for is refused before anybody is asked`() {
        var authenticator = authenticator()
        let entry: CBORValue = ["id": .bytes([1]), "type": "x"]
        let refusals: [([UInt8], CTAPStatus)] = [
            (Self.registration(options: ["up": false]), .invalidOption),
            (Self.registration(more: [4: [["alg": -8, "type": "public-key"]]]), .unsupportedAlgorithm),
            (Self.registration(user: []), .limitExceeded),
            (Self.registration(user: [UInt8](repeating: 0, count: 65)), .limitExceeded),
            (Self.registration(""), .limitExceeded),
            (Self.registration("bank.example\u{202E}"), .invalidParameter),
            (Self.registration(String(repeating: "a", count: 254)), .limitExceeded),
            (Self.registration(more: [1: .bytes([1])]), .invalidParameter),
            (Self.registration(more: [8: .bytes([1]), 9: 2]), .pinAuthInvalid),
            (Self.registration(more: [8: .bytes([1]), 9: 3]), .invalidParameter),
            (Self.registration(more: [8: .bytes([1])]), .missingParameter),
            (Self.registration(more: [5: .array(Array(repeating: entry, count: 21))]), .limitExceeded),
        ]
        for (message, status) in refusals {
            #expect(authenticator.answer(message) == [status.rawValue], "\(message)")
        }
        #expect(keychain.questions.isEmpty)
    }

    @Test func `without a passcode nobody is verified`() {
        keychain.change { $0.canVerify = false }
        var authenticator = authenticator()
        #expect(authenticator.answer(Self.registration(options: ["uv": true])) == [0x2C])
        #expect(authenticator.answer(Self.logIn(options: ["uv": true])) == [0x2C])
    }

    @Test func `hostile bytes are answered, and never with a signature`() {
        var random = HIDRandom(seed: 46)
        var authenticator = authenticator()
        keychain.change { $0.refusal = .operationDenied }
        let samples = [
            Self.registration(), Self.logIn(), Self.logIn(allowed: [[1, 2]]), [6, 0xA2, 1, 2, 2, 2], [4], [8],
        ]
        for round in 0..<20_000 {
            var message = samples[round % samples.count]
            for _ in 0...(random.next() % 3) {
                guard !message.isEmpty else { break }
                let place = Int(random.next() % UInt64(message.count))
                switch random.next() % 3 {
                case 0: message[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: message.remove(at: place)
                default: message.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                }
            }
            let answer = Self.read(authenticator.answer(message))
            #expect(answer.status != nil && answer.map[2]?.bytes == nil)
        }
        #expect(keychain.kept.isEmpty)
    }
}

extension Authenticator {
    /// The answer for the usual client.
    mutating func answer(_ message: [UInt8]) -> [UInt8] { answer(message, on: 1) }
}
