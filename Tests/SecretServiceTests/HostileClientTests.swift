import Crypto
import KeychainModel
import MessageBus
import SecretServiceModel
import SecretServiceSession
import Testing

/// Clients that send what no client should.
@Suite struct HostileClientTests {
    private var keychain = ModelKeychain()
    private let root = ModelKeychain.root
    private let login = ModelKeychain.login
    private let limit = "org.freedesktop.DBus.Error.LimitsExceeded"
    private let noSession = "org.freedesktop.Secret.Error.NoSession"
    private let invalid = "org.freedesktop.DBus.Error.InvalidArgs"

    @Test mutating func `another client's session opens nothing, and ends with its client`() throws {
        let theirs = try keychain.session(of: ":1.1")
        let item = keychain.create([("a", "1")], session: theirs).path
        #expect(keychain.secret(of: item, session: theirs, from: ":1.2").error == noSession)
        #expect(keychain.create([("b", "1")], session: theirs, from: ":1.2").error == noSession)
        #expect(keychain.call(theirs, "org.freedesktop.Secret.Session.Close", from: ":1.2").error == noSession)
        #expect(keychain.secret(of: item, session: theirs).secret == "secret")
        keychain.left(":1.1")
        #expect(keychain.secret(of: item, session: theirs).error == noSession)
    }

    @Test mutating func `another client's prompt cannot be begun, dismissed or seen`() throws {
        keychain.take(keychain.service.lockChanged(to: .locked))
        let reply = keychain.call(root, Service.unlock, [.array(of: "o", [.path(login)])])
        guard case .path(let prompt) = reply.values.last else { throw Unexpected(reply) }
        for (method, arguments) in [
            (Prompt.prompt, [.string("")]), (Prompt.dismiss, []), (Properties.getAll, [.string("")]),
        ] as [(String, [BusValue])] {
            let answer = keychain.call(prompt, method, arguments, from: ":1.2")
            #expect(answer.error == "org.freedesktop.DBus.Error.UnknownMethod")
        }
        #expect(keychain.signals("Completed").isEmpty)
        keychain.left(":1.1")
        #expect(keychain.service.nextDeadline == nil)
    }

    @Test mutating func `of a client's many sessions the one that was used last the longest ago makes room`() throws {
        let used = try keychain.session()
        let item = keychain.create([("a", "1")], session: used).path
        let unused = try keychain.session()
        let others = try keychain.session(of: ":1.2")
        for _ in 0..<SecretLimits.sessionsOfClient { _ = try keychain.session() }
        #expect(keychain.secret(of: item, session: used).error == "org.freedesktop.Secret.Error.NoSession")
        let kept = try keychain.session()
        for _ in 0..<SecretLimits.sessionsOfClient {
            _ = try keychain.session()
            #expect(keychain.secret(of: item, session: kept).secret == "secret")
        }
        #expect(keychain.secret(of: item, session: unused).error == "org.freedesktop.Secret.Error.NoSession")
        #expect(keychain.secret(of: item, session: others, from: ":1.2").secret == "secret")
    }

    @Test mutating func `clients that open more sessions than there is room for lose their own, and not others'`()
        throws
    {
        let item = keychain.create([("a", "1")], session: try keychain.session()).path
        let session = try keychain.session(of: ":1.2")
        for client in 0..<20 {
            for _ in 0..<SecretLimits.sessionsOfClient { _ = try keychain.session(of: ":2.\(client)") }
        }
        #expect(keychain.secret(of: item, session: session, from: ":1.2").secret == "secret")
        for client in 0..<20 { keychain.left(":2.\(client)") }
        #expect(keychain.secret(of: item, session: session, from: ":1.2").secret == "secret")
    }

    @Test mutating func `ten thousand prompts of a client are refused after its share, others go on`() throws {
        keychain.take(keychain.service.lockChanged(to: .locked))
        var refused = 0
        for _ in 0..<10_000 {
            let reply = keychain.call(root, Service.unlock, [.array(of: "o", [.path(login)])])
            if reply.error == limit { refused += 1 }
        }
        #expect(refused == 10_000 - SecretLimits.promptsOfClient)
        let other = keychain.call(root, Service.unlock, [.array(of: "o", [.path(login)])], from: ":1.2")
        #expect(other.error == nil)
    }

    @Test mutating func `attributes, labels and secrets that are too large are refused, and leave nothing`() throws {
        let session = try keychain.session()
        let mebibyte = String(repeating: "x", count: 1 << 20)
        let many = (0..<1_000).map { ("n\($0)", "v") }
        #expect(keychain.create([("a", mebibyte)], session: session).error == limit)
        #expect(keychain.create(many, session: session).error == limit)
        #expect(keychain.create([("a", "1")], label: mebibyte, session: session).error == limit)
        let secret = String(repeating: "x", count: SecretLimits.secretBytes + 17)
        #expect(keychain.create([("a", "1")], secret, session: session).error == limit)
        #expect(keychain.create([("a", "1")], mebibyte, session: session).path != "")
        #expect(try keychain.search([]).unlocked.count == 1)
        #expect(keychain.call(root, Service.searchItems, [ModelKeychain.attributes([("a", mebibyte)])]).error == limit)
    }

    @Test mutating func `the session's collection takes no more than its share of memory`() throws {
        let session = try keychain.session()
        let secret = String(repeating: "x", count: 4 << 20)
        let replies = (0..<10).map { number in
            keychain.create([("n", "\(number)")], secret, in: root + "/collection/session", session: session).error
        }
        #expect(replies.filter { $0 == nil }.count == 7)
        #expect(replies.last == limit)
    }

    @Test(arguments: [
        "OpenSession", "CreateCollection", "SearchItems", "Unlock", "GetSecrets", "ReadAlias", "SetAlias",
    ])
    mutating func `arguments of other types, too few and too many are refused`(method: String) {
        for arguments in [
            [], [.uint32(1)], [.string("a")], [.variant(.string("a")), .path("/")], [.array(of: "s", [.string("x")])],
            Array(repeating: .string(""), count: 9), [.descriptor(0)], [.other("d")],
        ] as [[BusValue]] {
            guard method != "ReadAlias" || arguments != [.string("a")] else { continue }
            #expect(keychain.call(root, "org.freedesktop.Secret.Service." + method, arguments).error == invalid)
        }
    }

    @Test(
        arguments: [
            "/", "/org/freedesktop/secrets/", "/org/freedesktop/secrets/collection", "/org/freedesktop/secretsx",
            "/org/freedesktop/secrets/collection/login/x/y", "/org/freedesktop/secrets/collection/none",
            "/org/freedesktop/secrets/aliases/none", "/org/freedesktop/secrets/prompt/1", "/a/b",
            "/org/freedesktop/secrets/session/77",
        ]
    )
    mutating func `paths outside the tree have no object`(path: String) {
        for method in [Service.searchItems, Collection.delete, Item.getSecret, Prompt.prompt, Properties.getAll] {
            let error = keychain.call(path, method, [.string("")]).error
            #expect(error == "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }

    @Test mutating func `public values that give away the key are refused`() throws {
        let largest = KeyAgreement.prime
        var below = largest
        below[127] -= 1
        var above = largest
        above[127] = 0
        above.insert(1, at: 0)
        for peer in [[], [0], [1], [0, 0, 1], [UInt8](repeating: 0, count: 128), largest, below, above]
            as [[UInt8]]
        {
            let reply = keychain.call(
                root,
                Service.openSession,
                [.string("dh-ietf1024-sha256-aes128-cbc-pkcs7"), .variant(.bytes(peer))]
            )
            #expect(reply.error == invalid, "\(peer.count)")
        }
        // What is just not degenerate is taken: the number two.
        let reply = keychain.call(
            root,
            Service.openSession,
            [.string("dh-ietf1024-sha256-aes128-cbc-pkcs7"), .variant(.bytes([2]))]
        )
        #expect(reply.values.count == 2)
        let other = keychain.call(root, Service.openSession, [.string("rot13"), .variant(.string(""))])
        #expect(other.error == "org.freedesktop.DBus.Error.NotSupported")
    }

    @Test mutating func `a secret that the session's key did not encrypt is refused`() throws {
        let mine = try KeyAgreement()
        let reply = keychain.call(
            root,
            Service.openSession,
            [.string("dh-ietf1024-sha256-aes128-cbc-pkcs7"), .variant(.bytes(mine.publicValue))]
        )
        guard case .variant(.bytes(let peer)) = reply.values.first, case .path(let session) = reply.values.last else {
            throw Unexpected(reply)
        }
        let cipher = TransferCipher.aes(try mine.key(with: peer))
        let (vector, value) = try cipher.seal(SecretBytes("geheim".utf8))
        func secret(_ vector: [UInt8], _ value: [UInt8]) -> BusValue {
            .structure([.path(session), .bytes(vector), .bytes(value), .string("text/plain")])
        }
        for damaged in [
            secret([], value), secret(vector + [0], value), secret(vector, []), secret(vector, value + [0]),
            secret(vector, Array(value.dropLast())),
        ] {
            #expect(
                keychain.call(login, Collection.createItem, [.properties([]), damaged, .bool(false)]).error == invalid
            )
        }
        let item = keychain.call(login, Collection.createItem, [.properties([]), secret(vector, value), .bool(false)])
            .path
        let answer = keychain.secret(of: item, session: session)
        guard case .structure(let fields) = answer.values.first, case .bytes(let iv) = fields[1],
            case .bytes(let sealed) = fields[2]
        else { throw Unexpected(answer) }
        let opened = try cipher.open(parameters: iv, value: sealed)
        #expect(unsafe opened.withUnsafeBytes { unsafe Array($0) } == Array("geheim".utf8))
        #expect(sealed != value)
    }

    @Test mutating func `only the portal gets an application's secret, and it is the same each time`() throws {
        let call: (String) -> [BusValue] = { [.path("/request"), .string($0), .descriptor(3), .properties([])] }
        for (sender, owner) in [(":1.5", nil), (":1.5", ":1.4")] as [(String, String?)] {
            let refused = keychain.portal(call("org.example.A"), from: sender, owner: owner)
            #expect(refused.error == "org.freedesktop.DBus.Error.AccessDenied")
        }
        #expect(keychain.portal(call(""), from: ":1.4", owner: ":1.4").error == invalid)
        #expect(keychain.given.isEmpty)
        for application in ["org.example.A", "org.example.B", "org.example.A"] {
            let reply = keychain.portal(call(application), from: ":1.4", owner: ":1.4")
            #expect(reply == .values([.uint32(0), .properties([])]))
        }
        let given = keychain.given.map { secret in unsafe secret.withUnsafeBytes { unsafe Array($0) } }
        #expect(given.map(\.count) == [64, 64, 64])
        #expect(given[0] == given[2] && given[0] != given[1])
        keychain.take(keychain.service.lockChanged(to: .locked))
        let locked = keychain.portal(call("org.example.A"), from: ":1.4", owner: ":1.4")
        #expect(locked == .values([.uint32(2), .properties([])]))
    }

    @Test mutating func `a descriptor that takes no secret is a refusal`() {
        keychain.takesSecrets = false
        let call: [BusValue] = [.path("/request"), .string("org.example.A"), .descriptor(3), .properties([])]
        #expect(keychain.portal(call, from: ":1.4", owner: ":1.4") == .values([.uint32(2), .properties([])]))
    }

    private mutating func secrets(of paths: [String], _ session: String) -> BusReply? {
        keychain.call(root, Service.getSecrets, [.array(of: "o", paths.map(BusValue.path)), .path(session)])
    }

    @Test mutating func `a path that is asked for ten thousand times is answered once`() throws {
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], session: session).path
        let reply = secrets(of: [String](repeating: item, count: 10_000), session)
        guard case .array(_, let entries) = reply.values.first else { throw Unexpected(reply) }
        #expect(entries.count == 1)
    }

    @Test mutating func `an answer has thirty-two mebibytes of secrets, and no more`() throws {
        let session = try keychain.session()
        let large = String(repeating: "x", count: SecretLimits.secretBytes)
        let items = (0..<5).map { keychain.create([("a", "\($0)")], large, session: session).path }
        #expect(secrets(of: items, session).error == limit)
        // Of what is kept in memory alone, too; by other paths to the same item.
        let kept = keychain.create([("a", "1")], large, in: root + "/collection/session", session: session).path
        let other = kept.replacing("/collection/", with: "/aliases/")
        #expect(secrets(of: items.prefix(3) + [kept, other], session).error == limit)
        // The control.
        guard case .array(_, let entries) = secrets(of: Array(items.prefix(4)), session).values.first else {
            throw Unexpected(nil)
        }
        #expect(entries.count == 4)
    }

    // MARK: - The portal's place

    private static func retrieve(_ keychain: inout ModelKeychain) -> [UInt8]? {
        let call: [BusValue] = [.path("/request"), .string("org.example.A"), .descriptor(3), .properties([])]
        let before = keychain.given.count
        guard keychain.portal(call, from: ":1.4", owner: ":1.4") == .values([.uint32(0), .properties([])]),
            keychain.given.count == before + 1, let secret = keychain.given.last
        else { return nil }
        return unsafe secret.withUnsafeBytes { unsafe Array($0) }
    }

    private static let ofPortal = [("app_id", "org.example.A"), ("xdg:schema", "org.freedesktop.portal.Secret")]

    @Test mutating func `no client of the bus sees an application's secret, or gives it another one`() throws {
        let session = try keychain.session()
        keychain.forgetSignals()
        let made = Self.retrieve(&keychain)
        let secret = try #require(made)
        #expect(try keychain.search(Self.ofPortal).unlocked == [] && keychain.search([]).unlocked == [])
        #expect(keychain.signals("ItemCreated").isEmpty)
        let place = root + "/collection/" + SecretService.portalID
        let id = try #require(keychain.secrets.keys.first)
        for path in [place, place + "/" + id.item] {
            #expect(keychain.call(path, Properties.getAll, [.string("")]).error != nil)
            #expect(keychain.secret(of: path, session: session).error != nil)
            #expect(keychain.call(root, Service.setAlias, [.string("a"), .path(path)]).error != nil)
        }
        // Planted later.
        keychain.now += 1
        #expect(keychain.create(Self.ofPortal, "planted", session: session).error == nil)
        let again = Self.retrieve(&keychain)
        #expect(again == secret)
        #expect(secret.count == 64)
    }

    @Test mutating func `a new secret leaves what another process may have changed of the item meanwhile`() throws {
        let session = try keychain.session()
        let item = keychain.create([("a", "1")], "old", session: session).path
        keychain.waits = true
        for (type, writesDetails) in [("text/plain", false), ("text/html", true)] {
            keychain.call(item, Item.setSecret, [ModelKeychain.secret("new", session, type: type)])
            guard case .change(_, let change, _) = keychain.open.last?.1 else {
                Issue.record("nothing is changed")
                return
            }
            #expect((change.details != nil) == writesDetails)
            #expect(change.secret != nil)
        }
    }

    @Test mutating func `an old item that a client has changed into an application's is not taken for it`() throws {
        let session = try keychain.session()
        let old = keychain.create([("a", "1")], "planted", session: session).path
        let made = Self.retrieve(&keychain)
        keychain.now += 1
        let planted = Self.ofPortal.map { ($0.0, $0.1 == "org.example.A" ? "org.example.B" : $0.1) }
        let change: [BusValue] = [
            .string("org.freedesktop.Secret.Item"), .string("Attributes"),
            .variant(.array(of: "{ss}", planted.map { .entry(.string($0.0), .string($0.1)) })),
        ]
        #expect(keychain.call(old, Properties.set, change).error == nil)
        let call: [BusValue] = [.path("/request"), .string("org.example.B"), .descriptor(3), .properties([])]
        #expect(keychain.portal(call, from: ":1.4", owner: ":1.4") == .values([.uint32(0), .properties([])]))
        #expect(keychain.given.last?.count == 64 && made?.count == 64)
    }

    @Test mutating func `an application keeps the secret that an earlier version had among the items of clients`()
        throws
    {
        let session = try keychain.session()
        let old = keychain.create(Self.ofPortal, "of an earlier version", session: session).path
        let kept = Self.retrieve(&keychain)
        #expect(kept == Array("of an earlier version".utf8))
        #expect(keychain.secret(of: old, session: session).error != nil)
        #expect(try keychain.search(Self.ofPortal).unlocked == [])
        // One that is planted once the place is there is not taken for it.
        keychain.now += 1
        var other = keychain
        let planted = Self.ofPortal.map { ($0.0, $0.1 == "org.example.A" ? "org.example.B" : $0.1) }
        #expect(other.create(planted, "planted", session: session).error == nil)
        let call: [BusValue] = [.path("/request"), .string("org.example.B"), .descriptor(3), .properties([])]
        #expect(other.portal(call, from: ":1.4", owner: ":1.4") == .values([.uint32(0), .properties([])]))
        #expect(other.given.last?.count == 64)
    }
}
