import Crypto
import CryptoExtras
import PasskeyProtocol
import Testing

@Suite("Tokens for the owner's consent")
struct TokenTests {
    private let keychain = ModelKeychain()
    private let platform = P256.KeyAgreement.PrivateKey()
    private static let hash = [UInt8](repeating: 7, count: 32)

    private func authenticator() -> Authenticator<ModelKeychain> {
        let keychain = keychain
        return Authenticator(keychain) { keychain.time }
    }

    private func request(_ permissions: Int64, _ site: String?) -> [UInt8] {
        let point = Array(platform.publicKey.x963Representation)
        var map: CBORMap = [
            1: 2, 2: 6,
            3: [
                1: 2, 3: -25, -1: 1, -2: .bytes(Array(point[1...32])), -3: .bytes(Array(point[33...])),
            ],
            9: .integer(permissions),
        ]
        if let site { map[10] = .text(site) }
        return [6] + CBORValue.map(map).encoded
    }

    /// A token of the second protocol.
    private func token(
        _ authenticator: inout Authenticator<ModelKeychain>,
        _ permissions: Int64 = 2,
        _ site: String? = "example.com"
    ) throws -> SymmetricKey {
        let agreed = AuthenticatorTests.read(authenticator.answer([6, 0xA2, 1, 2, 2, 2]))
        let key = try #require(agreed.map[1]?.map)
        let point = [4] + (key[-2]?.bytes ?? []) + (key[-3]?.bytes ?? [])
        let shared = try platform.sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
        let encryption = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: [UInt8](repeating: 0, count: 32),
            sharedInfo: Array("CTAP2 AES key".utf8),
            outputByteCount: 32
        )
        let answer = AuthenticatorTests.read(authenticator.answer(request(permissions, site)))
        let sealed = try #require(answer.map[2]?.bytes)
        let iv = try AES._CBC.IV(ivBytes: sealed.prefix(16))
        return SymmetricKey(
            data: try AES._CBC.decrypt(sealed.dropFirst(16), using: encryption, iv: iv, noPadding: true)
        )
    }

    private func logIn(_ token: SymmetricKey, _ site: String = "example.com", isSilent: Bool = false) -> [UInt8] {
        var map: CBORMap = [
            1: .text(site), 2: .bytes(Self.hash),
            6: .bytes(Array(HMAC<SHA256>.authenticationCode(for: Self.hash, using: token))), 7: 2,
        ]
        if isSilent { map[5] = ["up": false] }
        return [2] + CBORValue.map(map).encoded
    }

    private func manage(_ subcommand: UInt8, _ token: SymmetricKey) -> [UInt8] {
        let proof = Array(HMAC<SHA256>.authenticationCode(for: [subcommand], using: token))
        return [10] + CBORValue.map([1: .integer(Int64(subcommand)), 3: 2, 4: .bytes(proof)]).encoded
    }

    @Test(
        arguments: [(3, 0), (5, 0x40), (6, 0x40), (7, 0x40), (8, 0x40), (0x10, 0x40), (0, 0x02), (-1, 0x40)]
            as [(Int64, UInt8)]
    )
    func `a token to list passkeys logs in nowhere: nobody is asked for both at once`(
        _ permissions: Int64,
        _ code: UInt8
    ) {
        var authenticator = authenticator()
        #expect(authenticator.answer(request(permissions, "example.com")).first == code)
        #expect(keychain.questions.count == (code == 0 ? 1 : 0))
    }

    @Test func `a token for no site is refused`() {
        var authenticator = authenticator()
        #expect(authenticator.answer(request(2, nil)) == [0x14])
        #expect(keychain.questions.isEmpty)
    }

    @Test func `a token is good for its site, once, and not for what it was not asked for`() throws {
        var authenticator = authenticator()
        _ = authenticator.answer(AuthenticatorTests.registration())
        let asked = keychain.questions.count
        let token = try token(&authenticator)
        #expect(authenticator.answer(logIn(token, "other.example")) == [0x33])
        #expect(authenticator.answer(logIn(token, "exam\u{2024}ple.com")) == [0x33])
        #expect(authenticator.answer(manage(1, token)) == [0x33])
        #expect(authenticator.answer(logIn(SymmetricKey(size: .bits256))) == [0x33])
        #expect(authenticator.answer(logIn(token, isSilent: true)).first == 0)
        #expect(authenticator.answer(logIn(token)).first == 0)
        #expect(authenticator.answer(logIn(token)) == [0x33])
        #expect(keychain.questions.count == asked + 1)
    }

    @Test func `an owner who takes their time has agreed, and for 30 seconds, whatever is asked silently`() throws {
        var authenticator = authenticator()
        _ = authenticator.answer(AuthenticatorTests.registration())
        keychain.change { $0.pause = 120_000 }
        let token = try token(&authenticator)
        let start = keychain.time
        for seconds in [10, 20, 29] as [UInt64] {
            keychain.change { $0.time = start + seconds * 1_000 }
            #expect(authenticator.answer(logIn(token, isSilent: true)).first == 0)
        }
        keychain.change { $0.time = start + 31_000 }
        #expect(authenticator.answer(logIn(token)) == [0x33])
    }

    @Test func `a list is continued for the client that began it, and for half a minute`() throws {
        var authenticator = authenticator()
        for site in ["a.example", "b.example", "c.example"] {
            _ = authenticator.answer(AuthenticatorTests.registration(site))
        }
        let token = try token(&authenticator, 4, nil)
        let first = AuthenticatorTests.read(authenticator.answer(manage(2, token)))
        #expect(first.map[5] == 3)
        #expect(authenticator.answer([10, 0xA1, 1, 3], on: 2) == [0x30])
        #expect(authenticator.answer([10, 0xA1, 1, 5]) == [0x30])
        #expect(authenticator.answer([10, 0xA1, 1, 3]).first == 0)
        keychain.change { $0.time += 31_000 }
        #expect(authenticator.answer([10, 0xA1, 1, 3]) == [0x30])
    }

    @Test func `somebody who asks for a token and gets none leaves another's alone`() throws {
        var authenticator = authenticator()
        _ = authenticator.answer(AuthenticatorTests.registration())
        let token = try token(&authenticator)
        keychain.change { $0.refusal = .operationDenied }
        #expect(authenticator.answer(request(2, "example.com"), on: 2) == [0x27])
        keychain.change { $0.refusal = nil }
        #expect(authenticator.answer(logIn(token)).first == 0)
    }
}
