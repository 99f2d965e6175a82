import Crypto
import Foundation
import KeychainCertificates
import KeychainModel
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("Private keys of the enclave")
struct PrivateKeyTests {
    private let fixture: EnclaveFixture
    private let enclave: LocalEnclave
    private let digest = Array(SHA256.hash(data: Array("a message".utf8)))

    init() throws {
        fixture = try EnclaveFixture()
        enclave = try fixture.open()
    }

    private func template(
        _ flags: AccessControlFlags? = nil,
        _ accessibility: Accessibility = .whenUnlockedThisDeviceOnly
    ) throws -> EnclaveKeyTemplate {
        EnclaveKeyTemplate(
            accessGroup: "TEAM.group",
            accessControl: try flags.map { try AccessControl(protection: accessibility.rawValue, flags: $0) }
                ?? AccessControl(bare: accessibility)
        )
    }

    private func make(
        _ flags: AccessControlFlags? = nil,
        _ accessibility: Accessibility = .whenUnlockedThisDeviceOnly,
        with credentials: ItemCredentials = .none
    ) throws -> EnclaveKey {
        try enclave.makeKey(template(flags, accessibility), with: credentials)
    }

    private func signs(
        _ key: EnclaveKey,
        with credentials: ItemCredentials = .none,
        _ enclave: LocalEnclave? = nil
    ) -> KeychainError.Code? {
        failure {
            let signature = try (enclave ?? self.enclave)
                .use(key, for: .signature(ofDigest: digest), with: credentials)
            #expect(try isValid(signature, by: key))
        }
    }

    private func isValid(_ signature: SecretBytes, by key: EnclaveKey) throws -> Bool {
        let publicKey = try P256.Signing.PublicKey(x963Representation: key.publicKey.externalRepresentation)
        let raw = try unsafe signature.withUnsafeBytes { try unsafe P256.Signing.ECDSASignature(rawRepresentation: $0) }
        return publicKey.isValidSignature(raw, for: SHA256.hash(data: Array("a message".utf8)))
    }

    private func password(_ text: String) throws -> ItemCredentials {
        ItemCredentials(applicationPassword: try ApplicationPassword(SecretBytes(Array(text.utf8))))
    }

    @Test func `a key signs, and its public half verifies it`() throws {
        let key = try make()
        #expect(key.kind == .software)
        #expect(signs(key) == nil)
        let again = try #require(EnclaveKey(key.bytes))
        #expect(signs(again) == nil)
    }

    @Test func `a key agrees with another's public key on what the other finds too`() throws {
        let key = try make()
        let other = P256.KeyAgreement.PrivateKey()
        let mine = try P256.KeyAgreement.PublicKey(x963Representation: key.publicKey.externalRepresentation)
        let shared = try enclave.use(
            key,
            for: .sharedSecret(with: Array(other.publicKey.x963Representation)),
            with: .none
        )
        let theirs = try other.sharedSecretFromKeyAgreement(with: mine)
        #expect(unsafe shared.withUnsafeBytes { unsafe Array($0) } == theirs.withUnsafeBytes { Array($0) })
    }

    @Test func `a point that is not on the curve, and a digest of another size, are refused`() throws {
        let key = try make()
        var point = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        point[64] ^= 1
        let zero = [4] + [UInt8](repeating: 0, count: 64)
        let infinity: [UInt8] = [0]
        for bad in [point, zero, infinity, Array(point.dropLast()), [2] + point[1...32]] {
            #expect(failure { try enclave.use(key, for: .sharedSecret(with: bad), with: .none) } == .invalidParameter)
        }
        for size in [0, 20, 31, 33, 64] {
            let digest = [UInt8](repeating: 1, count: size)
            #expect(
                failure { try enclave.use(key, for: .signature(ofDigest: digest), with: .none) } == .invalidParameter
            )
        }
    }

    @Test func `what stands for a key works as it was made and no byte otherwise`() throws {
        let key = try make([.privateKeyUsage, .userPresence])
        let proof = enclave.desk.proof(of: .passcode, for: key)
        let credentials = ItemCredentials(proofs: [proof])
        #expect(signs(key, with: credentials) == nil)
        let bytes = key.bytes
        var readable = 0
        for index in bytes.indices {
            for bit in [UInt8(1), 0x80] {
                var altered = bytes
                altered[index] ^= bit
                guard let other = EnclaveKey(altered) else { continue }
                readable += 1
                #expect(signs(other, with: credentials) == .undecodable, "byte \(index)")
            }
        }
        // The test would prove nothing if none could be read.
        #expect(readable > 100)
        for count in bytes.indices { #expect(EnclaveKey(bytes.prefix(count)) == nil) }
        #expect(EnclaveKey(bytes + [0]) == nil)
    }

    @Test func `no demand can be taken off a key`() throws {
        let key = try make([.privateKeyUsage, .userPresence])
        let bare = try #require(
            EnclaveKey.Header(
                keychain: key.header.keychain,
                uuid: key.header.uuid,
                version: key.header.version,
                accessGroup: key.header.accessGroup,
                accessControl: AccessControl(bare: .whenUnlockedThisDeviceOnly)
            )
        )
        let stripped = try #require(
            EnclaveKey(header: bare, kind: key.kind, publicKey: key.publicKey, box: key.box, content: key.content)
        )
        #expect(signs(stripped) == .undecodable)
        #expect(signs(key) == .interactionNotAllowed)
    }

    @Test func `no key can be given another's public half, and none another home`() throws {
        let key = try make()
        let other = try make()
        let renamed = try #require(
            EnclaveKey(
                header: key.header,
                kind: .software,
                publicKey: other.publicKey,
                box: key.box,
                content: key.content
            )
        )
        let moved = try #require(
            EnclaveKey(header: key.header, kind: .tpm, publicKey: key.publicKey, box: key.box, content: key.content)
        )
        let mixed = try #require(
            EnclaveKey(
                header: key.header,
                kind: .software,
                publicKey: key.publicKey,
                box: key.box,
                content: other.content
            )
        )
        for wrong in [renamed, moved, mixed] { #expect(signs(wrong) == .undecodable) }
        #expect(signs(key) == nil)
    }

    @Test func `the service cannot have a key's box unwrapped as an item's key`() throws {
        let key = try make()
        for itemClass in ItemClass.stored {
            var binding = ItemBinding(key.header)
            binding.itemClass = itemClass
            #expect(try enclave.opens(WrappedItemKey(binding: binding, box: key.box)) == .undecodable)
            #expect(try enclave.opens(WrappedItemKey(binding: binding, box: key.content)) == .undecodable)
            #expect(try enclave.rewrap([WrappedItemKey(binding: binding, box: key.box)]).map { $0 == nil } == [true])
        }
        // And the other way round: an item's key, which the service knows, is no key's own key.
        let known = SymmetricKey(size: .bits256)
        let box = try #require(
            try enclave.wrap([UnwrappedItemKey(binding: ItemBinding(key.header), key: known)]).first
        )
        let forged = try #require(
            EnclaveKey(
                header: key.header,
                kind: .software,
                publicKey: key.publicKey,
                box: box,
                content: Cipher.seal(
                    secret: SecretBytes(P256.Signing.PrivateKey().rawRepresentation),
                    under: known,
                    authenticating: []
                )
            )
        )
        #expect(signs(forged) == .undecodable)
    }

    @Test func `demands are met at each use, and are those of the use alone`() throws {
        let key = try make([.privateKeyUsage, .devicePasscode])
        let need = try #require(throws: KeychainError.self) {
            try enclave.use(key, for: .signature(ofDigest: digest), with: .none)
        }.need
        #expect(need == PresenceNeed(.passcode, items: [GuardedItem(key.header.uuid, in: key.header.accessGroup)]))
        #expect(signs(key, with: ItemCredentials(proofs: [enclave.desk.proof(of: .passcode, for: key)])) == nil)
        #expect(
            signs(key, with: ItemCredentials(proofs: [enclave.desk.proof(of: .biometry, for: key)]))
                == .interactionNotAllowed
        )
        #expect(signs(key) == .interactionNotAllowed)
        // What an item with this access control holds is but what stands for the key.
        var binding = ItemBinding(key.header)
        binding.uuid = ItemUUID()
        let known = SymmetricKey(size: .bits256)
        let box = try #require(try enclave.wrap([UnwrappedItemKey(binding: binding, key: known)]).first)
        #expect(try enclave.opens(WrappedItemKey(binding: binding, box: box)) == nil)
    }

    @Test func `a proof for one item is none for a key`() throws {
        let key = try make([.privateKeyUsage, .userPresence])
        let other = enclave.desk.proof(of: .passcode, for: try make([.privateKeyUsage, .userPresence]))
        #expect(signs(key, with: ItemCredentials(proofs: [other])) == .interactionNotAllowed)
        let own = enclave.desk.proof(of: .passcode, for: key)
        #expect(signs(key, with: ItemCredentials(proofs: [own])) == nil)
    }

    @Test func `an application password is given when the key is made and at each use`() throws {
        let flags: AccessControlFlags = [.privateKeyUsage, .applicationPassword]
        #expect(failure { try make(flags) } == .interactionNotAllowed)
        let key = try make(flags, with: password("right"))
        #expect(signs(key) == .interactionNotAllowed)
        #expect(signs(key, with: try password("wrong")) == .authenticationFailed)
        #expect(signs(key, with: try password("right")) == nil)
    }

    @Test func `wrong application passwords of a key are counted`() throws {
        let key = try make([.privateKeyUsage, .applicationPassword], with: password("right"))
        let clock = TestClock()
        let (right, wrong) = (try password("right"), try password("wrong"))
        clock.run {
            for _ in 0..<20 { #expect(signs(key, with: wrong) == .authenticationFailed) }
            #expect(signs(key, with: right) == .authenticationFailed)
            clock.advance(100_000)
            #expect(signs(key, with: right) == nil)
        }
    }

    @Test(arguments: Accessibility.allCases)
    func `a key can be used when items of its class can be read`(_ accessibility: Accessibility) throws {
        try enclave.owner.changePasscode(from: nil, to: secret("passcode"))
        try enclave.finishTheRotation()
        let key = try make(nil, accessibility)
        #expect(signs(key) == nil)
        let item = try enclave.box(SymmetricKey(size: .bits256), accessibility)
        try enclave.lock()
        #expect(signs(key) == (try enclave.opens(item)))
        try enclave.logOut()
        #expect(signs(key) == (try enclave.opens(item)))
        #expect(failure { try make(nil, accessibility) } == (try enclave.opens(item)))
        try enclave.owner.unlock(secret("passcode"))
        #expect(signs(key) == nil)
        let again = try fixture.open()
        #expect(signs(key, again) == (try again.opens(item)))
        try again.owner.unlock(secret("passcode"))
        #expect(signs(key, again) == nil)
    }

    @Test func `a key outlives other passcodes and rotations, and with the passcode goes the class that needs one`()
        throws
    {
        let before = try make()
        try enclave.owner.changePasscode(from: nil, to: secret("passcode"))
        let bound = try make(nil, .whenPasscodeSetThisDeviceOnly)
        _ = try enclave.beginRotation(enclave.owner.authorize(.rotateKeys, passcode: secret("passcode")))
        try enclave.finishTheRotation()
        try enclave.owner.changePasscode(from: secret("passcode"), to: secret("another"))
        for key in [before, bound] { #expect(signs(key) == nil) }
        try enclave.owner.changePasscode(from: secret("another"), to: nil)
        #expect(signs(before) == nil)
        #expect(signs(bound) == .undecodable)
        try enclave.owner.changePasscode(from: nil, to: secret("passcode"))
        #expect(signs(bound) == .undecodable)
        #expect(signs(before) == nil)
    }

    @Test func `another keychain's key is refused`() throws {
        let other = try EnclaveFixture()
        let key = try other.open().makeKey(template(), with: .none)
        #expect(signs(key) == .undecodable)
        let moved = try #require(
            EnclaveKey.Header(
                keychain: enclave.locking.keychain,
                uuid: key.header.uuid,
                version: key.header.version,
                accessGroup: key.header.accessGroup,
                accessControl: key.header.accessControl
            ).flatMap {
                EnclaveKey(header: $0, kind: key.kind, publicKey: key.publicKey, box: key.box, content: key.content)
            }
        )
        #expect(signs(moved) == .undecodable)
    }

    @Test func `a keybag from before there were private keys gets what they need at the first one`() throws {
        let deviceKey = DeviceKey()
        var keybag = try Keybag(creatingUnder: deviceKey)
        keybag.entries.removeAll { if case .privateKeys = $0.purpose { true } else { false } }
        let old = try LocalEnclave(keybag, under: deviceKey)
        let key = try old.makeKey(template(), with: .none)
        #expect(signs(key, old) == nil)
        // With a passcode, and locked, there is nothing to wrap them under.
        let locked = try LocalEnclave(keybag, under: deviceKey, cost: .uncheckedLeast)
        try locked.owner.changePasscode(from: nil, to: secret("passcode"))
        try locked.lock()
        #expect(failure { try locked.makeKey(template(nil, .afterFirstUnlock), with: .none) } == .interactionNotAllowed)
        try locked.owner.unlock(secret("passcode"))
        let late = try locked.makeKey(template(nil, .whenPasscodeSetThisDeviceOnly), with: .none)
        #expect(signs(late, locked) == nil)
    }

    @Test func `a description of a key and of what it did shows no secret`() throws {
        let key = try make()
        let signature = try enclave.use(key, for: .signature(ofDigest: digest), with: .none)
        #expect("\(signature)" == "[REDACTED]")
    }
}

extension PresenceDesk {
    /// As if the owner had proved it.
    fileprivate func proof(of factors: PresenceFactors, for key: EnclaveKey) -> PresenceProof {
        let scope = PresenceScope.items([key.header.uuid: key.header.accessGroup])
        return state.withLock { $0.proofs.keep(factors, password: nil, for: scope, on: 0, at: .current) }
    }
}
