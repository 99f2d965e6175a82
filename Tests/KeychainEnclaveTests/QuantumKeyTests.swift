import Crypto
import Foundation
import KeychainModel
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("Private keys of the enclave for ML-DSA and ML-KEM")
struct QuantumKeyTests {
    private let fixture: EnclaveFixture
    private let enclave: LocalEnclave
    private static let message = Array("a message".utf8)
    static let algorithms = EnclaveKeyAlgorithm.allCases.filter { $0 != .p256 }
    static let signing: [EnclaveKeyAlgorithm] = [.mldsa65, .mldsa87]
    static let encapsulating: [EnclaveKeyAlgorithm] = [.mlkem768, .mlkem1024]

    init() throws {
        fixture = try EnclaveFixture()
        enclave = try fixture.open()
    }

    private func make(
        _ algorithm: EnclaveKeyAlgorithm,
        _ flags: AccessControlFlags? = nil,
        _ accessibility: Accessibility = .whenUnlockedThisDeviceOnly,
        group: String = "TEAM.group",
        with credentials: ItemCredentials = .none,
        _ enclave: LocalEnclave? = nil
    ) throws -> EnclaveKey {
        let control =
            try flags.map { try AccessControl(protection: accessibility.rawValue, flags: $0) }
            ?? AccessControl(bare: accessibility)
        let template = EnclaveKeyTemplate(algorithm, accessGroup: group, accessControl: control)
        return try (enclave ?? self.enclave).makeKey(template, with: credentials)
    }

    /// Has a key do what keys of its algorithm do, and checks that it is right by swift-crypto.
    private func uses(
        _ key: EnclaveKey,
        with credentials: ItemCredentials = .none,
        _ enclave: LocalEnclave? = nil
    ) -> KeychainError.Code? {
        failure {
            let enclave = enclave ?? self.enclave
            guard let encapsulated = try key.publicKey.encapsulated() else {
                let use = KeyUse.messageSignature(of: Self.message, context: [7])
                let signature = try enclave.use(key, for: use, with: credentials)
                #expect(try key.publicKey.verifies(signature.array, of: Self.message, context: [7]))
                return
            }
            let use = KeyUse.decapsulation(of: Array(encapsulated.encapsulated))
            let secret = try enclave.use(key, for: use, with: credentials)
            #expect(secret.symmetricKey() == encapsulated.sharedSecret)
        }
    }

    // MARK: - What they compute

    @Test(arguments: try QuantumVectors.all())
    func `a seed makes the key that others have made of it, which opens and verifies what theirs does`(
        vector: QuantumVector
    ) throws {
        let algorithm = try #require(Self.algorithms.first { "\($0)" == vector.algorithm })
        let type = try #require(algorithm.seededKey)
        #expect(try Self.publicKey(type, of: vector.seed) == vector.publicKey)
        let seed = SecretBytes(vector.seed)
        for (ciphertext, secret) in [
            (vector.ciphertext, vector.secret), (vector.rejected, vector.rejectedSecret),
        ] {
            guard let ciphertext, let secret else { continue }
            #expect(try type.result(of: .decapsulation(of: Array(ciphertext)), bySeed: seed).array == Array(secret))
        }
        guard let message = vector.message, let context = vector.context, let signature = vector.signature else {
            return
        }
        let publicKey = try #require(EnclavePublicKey(Array(vector.publicKey), of: algorithm))
        #expect(try publicKey.verifies(Array(signature), of: Array(message), context: Array(context)))
        let use = KeyUse.messageSignature(of: Array(message), context: Array(context))
        let own = try type.result(of: use, bySeed: seed).array
        #expect(own.count == signature.count)
        #expect(try publicKey.verifies(own, of: Array(message), context: Array(context)))
    }

    private static func publicKey<Key: SeededKey>(_ type: Key.Type, of seed: Data) throws -> Data {
        try Key(seedRepresentation: seed, publicKey: nil).publicKey.rawRepresentation
    }

    @Test(arguments: algorithms)
    func `a key does what its algorithm does, also once it was bytes`(algorithm: EnclaveKeyAlgorithm) throws {
        let key = try make(algorithm)
        #expect(key.kind == EnclaveKey.Kind(software: algorithm) && key.kind.algorithm == algorithm)
        #expect(uses(key) == nil)
        let again = try #require(EnclaveKey(key.bytes))
        #expect(again == key)
        #expect(uses(again) == nil)
        #expect(uses(key, try fixture.open()) == nil)
    }

    @Test(arguments: signing)
    func `a message of any size up to 48 KiB is signed in any context, and no longer one`(
        algorithm: EnclaveKeyAlgorithm
    ) throws {
        let key = try make(algorithm)
        func signature(_ message: [UInt8], _ context: [UInt8]) throws -> [UInt8] {
            try enclave.use(key, for: .messageSignature(of: message, context: context), with: .none).array
        }
        for (size, context) in [(0, 0), (1, 255), (KeyUse.largestMessage, 255)] {
            let message = [UInt8](repeating: 1, count: size)
            let context = [UInt8](repeating: 2, count: context)
            let made = try signature(message, context)
            #expect(try key.publicKey.verifies(made, of: message, context: context))
            #expect(try !key.publicKey.verifies(made, of: message + [1], context: context))
            #expect(try !key.publicKey.verifies(made, of: message, context: [3]))
        }
        let long = [UInt8](repeating: 1, count: KeyUse.largestMessage + 1)
        #expect(failure { try signature(long, []) } == .dataTooLarge)
        #expect(failure { try signature([1], [UInt8](repeating: 2, count: 256)) } == .invalidParameter)
    }

    @Test(arguments: encapsulating)
    func `what is not for a key gives another secret, and what has another size is refused`(
        algorithm: EnclaveKeyAlgorithm
    ) throws {
        let key = try make(algorithm)
        let other = try make(algorithm)
        let encapsulated = try #require(try other.publicKey.encapsulated())
        let ciphertext = Array(encapsulated.encapsulated)
        func secret(_ ciphertext: [UInt8]) throws -> SymmetricKey {
            try enclave.use(key, for: .decapsulation(of: ciphertext), with: .none).symmetricKey()
        }
        #expect(try secret(ciphertext) != encapsulated.sharedSecret)
        #expect(try secret(ciphertext) == secret(ciphertext))
        let another = Self.encapsulating.first { $0 != algorithm }?.ciphertextSize
        for size in [0, 1, ciphertext.count - 1, ciphertext.count + 1, try #require(another)] {
            #expect(failure { try secret([UInt8](repeating: 0, count: size)) } == .invalidParameter)
        }
    }

    @Test(arguments: EnclaveKeyAlgorithm.allCases)
    func `what keys of an algorithm do not do is refused before anybody is asked`(
        algorithm: EnclaveKeyAlgorithm
    ) throws {
        let key = try make(algorithm, [.privateKeyUsage, .userPresence])
        let point = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        let uses: [(KeyUse, [EnclaveKeyAlgorithm])] = [
            (.signature(ofDigest: [UInt8](repeating: 1, count: 32)), [.p256]), (.sharedSecret(with: point), [.p256]),
            (.messageSignature(of: Self.message, context: []), [.mldsa65, .mldsa87]),
            (.decapsulation(of: [UInt8](repeating: 1, count: 1_088)), [.mlkem768]),
            (.decapsulation(of: [UInt8](repeating: 1, count: 1_568)), [.mlkem1024]),
        ]
        for (use, possible) in uses {
            let error = try #require(throws: KeychainError.self) { try enclave.use(key, for: use, with: .none) }
            // What is possible is asked for.
            #expect((error.need != nil) == possible.contains(algorithm))
            #expect(error.code == (possible.contains(algorithm) ? .interactionNotAllowed : .invalidParameter))
        }
    }

    // MARK: - What stands for them

    @Test(arguments: algorithms)
    func `what stands for a key works as it was made and no byte otherwise`(algorithm: EnclaveKeyAlgorithm) throws {
        let key = try make(algorithm, [.privateKeyUsage, .userPresence])
        let credentials = ItemCredentials(proofs: [enclave.desk.proof(for: key)])
        #expect(uses(key, with: credentials) == nil)
        let use = try key.possibleUse()
        let bytes = key.bytes
        var readable = 0
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1
            guard let other = EnclaveKey(altered) else { continue }
            readable += 1
            #expect(failure { try enclave.use(other, for: use, with: credentials) } == .undecodable, "byte \(index)")
        }
        // All of the public key among them.
        #expect(readable > algorithm.publicKeySize)
        for count in bytes.indices { #expect(EnclaveKey(bytes.prefix(count)) == nil) }
        #expect(EnclaveKey(bytes + [0]) == nil)
    }

    @Test(arguments: EnclaveKeyAlgorithm.allCases)
    func `no key becomes one of another algorithm`(algorithm: EnclaveKeyAlgorithm) throws {
        let key = try make(algorithm)
        for kind in EnclaveKey.Kind.allCases where kind.algorithm != algorithm {
            var bytes = key.bytes
            bytes[5] = kind.rawValue
            #expect(EnclaveKey(bytes) == nil)
            // With a public key that fits.
            let other = try make(kind.algorithm)
            let mixed = try #require(
                EnclaveKey(
                    header: key.header,
                    kind: kind,
                    publicKey: other.publicKey,
                    box: key.box,
                    content: key.content
                )
            )
            #expect(failure { try enclave.use(mixed, for: mixed.possibleUse(), with: .none) } == .undecodable)
        }
        for kind: UInt8 in [0, 7, 255] {
            var bytes = key.bytes
            bytes[5] = kind
            #expect(EnclaveKey(bytes) == nil)
        }
    }

    @Test(arguments: algorithms)
    func `another keychain's key is refused`(algorithm: EnclaveKeyAlgorithm) throws {
        let other = try EnclaveFixture()
        let key = try make(algorithm, other.open())
        #expect(uses(key) == .undecodable)
        let header = EnclaveKey.Header(
            keychain: enclave.locking.keychain,
            uuid: key.header.uuid,
            version: key.header.version,
            accessGroup: key.header.accessGroup,
            accessControl: key.header.accessControl
        )
        let moved = try #require(
            header.flatMap {
                EnclaveKey(header: $0, kind: key.kind, publicKey: key.publicKey, box: key.box, content: key.content)
            }
        )
        #expect(uses(moved) == .undecodable)
    }

    @Test func `the largest key can be read again`() throws {
        let group = String(repeating: "g", count: EnclaveKey.longestGroup)
        let password = try password("right")
        let flags: AccessControlFlags = [.privateKeyUsage, .applicationPassword]
        let key = try make(.mldsa87, flags, group: group, with: password)
        #expect(key.bytes.count > 3_800 && key.bytes.count <= EnclaveKey.largest)
        #expect(uses(try #require(EnclaveKey(key.bytes)), with: password) == nil)
        #expect(failure { try make(.mldsa87, flags, group: group + "g", with: password) } == .invalidParameter)
    }

    // MARK: - What guards them

    @Test(arguments: algorithms)
    func `demands are met at each use`(algorithm: EnclaveKeyAlgorithm) throws {
        let key = try make(algorithm, [.privateKeyUsage, .userPresence])
        #expect(uses(key) == .interactionNotAllowed)
        #expect(uses(key, with: ItemCredentials(proofs: [enclave.desk.proof(for: key)])) == nil)
        #expect(uses(key) == .interactionNotAllowed)
        let other = try make(algorithm, [.privateKeyUsage, .userPresence])
        let foreign = ItemCredentials(proofs: [enclave.desk.proof(for: other)])
        #expect(uses(key, with: foreign) == .interactionNotAllowed)
    }

    private func password(_ text: String) throws -> ItemCredentials {
        ItemCredentials(applicationPassword: try ApplicationPassword(secret(text)))
    }

    @Test(arguments: algorithms)
    func `an application password is given when a key is made and at each use`(algorithm: EnclaveKeyAlgorithm) throws {
        let flags: AccessControlFlags = [.privateKeyUsage, .applicationPassword]
        #expect(failure { try make(algorithm, flags) } == .interactionNotAllowed)
        let key = try make(algorithm, flags, with: password("right"))
        #expect(uses(key) == .interactionNotAllowed)
        #expect(uses(key, with: try password("wrong")) == .authenticationFailed)
        #expect(uses(key, with: try password("right")) == nil)
    }

    @Test(arguments: algorithms, Accessibility.allCases)
    func `a key can be used when items of its class can be read`(
        _ algorithm: EnclaveKeyAlgorithm,
        _ accessibility: Accessibility
    ) throws {
        try enclave.owner.changePasscode(from: nil, to: secret("passcode"))
        try enclave.finishTheRotation()
        let key = try make(algorithm, nil, accessibility)
        #expect(uses(key) == nil)
        let item = try enclave.box(SymmetricKey(size: .bits256), accessibility)
        try enclave.lock()
        #expect(uses(key) == (try enclave.opens(item)))
        try enclave.logOut()
        #expect(uses(key) == (try enclave.opens(item)))
        #expect(failure { try make(algorithm, nil, accessibility) } == (try enclave.opens(item)))
        try enclave.owner.unlock(secret("passcode"))
        #expect(uses(key) == nil)
        // Before the first unlock of another process.
        let again = try fixture.open()
        #expect(uses(key, again) == (try again.opens(item)))
    }

    @Test func `hardware that makes keys on P-256 is not asked for any other`() throws {
        let binding = HardwareBinding()
        let device = try binding.makeDeviceKey()
        let storage = MemoryStorage(keybag: try Keybag(creatingUnder: device).file(under: device))
        let enclave = try LocalEnclave(storage, device: binding)
        // The control: it has none to give.
        #expect(failure { try make(.p256, enclave) } == .notAvailable)
        for algorithm in Self.algorithms {
            let key = try make(algorithm, enclave)
            #expect(key.kind == EnclaveKey.Kind(software: algorithm))
            #expect(uses(key, enclave) == nil)
        }
    }
}

extension QuantumKeyTests {
    private func make(_ algorithm: EnclaveKeyAlgorithm, _ enclave: LocalEnclave) throws -> EnclaveKey {
        try make(algorithm, nil, with: .none, enclave)
    }

    private func uses(_ key: EnclaveKey, _ enclave: LocalEnclave) -> KeychainError.Code? {
        uses(key, with: .none, enclave)
    }
}

extension EnclaveKey {
    /// Something that keys of its algorithm do.
    fileprivate func possibleUse() throws -> KeyUse {
        switch kind.algorithm {
        case .p256: .signature(ofDigest: [UInt8](repeating: 1, count: KeyUse.digestSize))
        case .mldsa65, .mldsa87: .messageSignature(of: [1], context: [])
        case .mlkem768, .mlkem1024:
            .decapsulation(of: [UInt8](repeating: 1, count: try #require(kind.algorithm.ciphertextSize)))
        }
    }
}

extension EnclavePublicKey {
    /// As swift-crypto verifies it.
    fileprivate func verifies(_ signature: [UInt8], of message: [UInt8], context: [UInt8]) throws -> Bool {
        switch algorithm {
        case .mldsa65:
            try MLDSA65.PublicKey(rawRepresentation: externalRepresentation)
                .isValidSignature(signature, for: message, context: context)
        case .mldsa87:
            try MLDSA87.PublicKey(rawRepresentation: externalRepresentation)
                .isValidSignature(signature, for: message, context: context)
        case .p256, .mlkem768, .mlkem1024: false
        }
    }

    /// Nil of a key that signs.
    fileprivate func encapsulated() throws -> KEM.EncapsulationResult? {
        switch algorithm {
        case .mlkem768: try MLKEM768.PublicKey(rawRepresentation: externalRepresentation).encapsulate()
        case .mlkem1024: try MLKEM1024.PublicKey(rawRepresentation: externalRepresentation).encapsulate()
        case .p256, .mldsa65, .mldsa87: nil
        }
    }
}

extension SecretBytes {
    fileprivate var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

extension PresenceDesk {
    /// As if the owner had proved it.
    fileprivate func proof(for key: EnclaveKey) -> PresenceProof {
        let scope = PresenceScope.items([key.header.uuid: key.header.accessGroup])
        return state.withLock { $0.proofs.keep(.passcode, password: nil, for: scope, on: 0, at: .current) }
    }
}

/// A device whose hardware makes no key that is asked for.
private struct HardwareBinding: DeviceBinding, HardwareKeys {
    private let memory = MemoryBinding()

    var kind: DeviceBindingKind { memory.kind }
    var passcodeSecrets: (any PasscodeSecretStore)? { nil }
    var rollbackCounter: (any RollbackCounter)? { nil }
    var hardwareKeys: (any HardwareKeys)? { self }

    private static let refusal = KeychainError(.notAvailable, "it makes no keys")

    func deviceKey() throws(KeychainError) -> DeviceKey? { try memory.deviceKey() }
    func makeDeviceKey() throws(KeychainError) -> DeviceKey { try memory.makeDeviceKey() }
    func makeKey() throws(KeychainError) -> HardwareKey { throw Self.refusal }
    func signature(ofDigest: [UInt8], by: SecretBytes) throws(KeychainError) -> [UInt8] { throw Self.refusal }
    func sharedSecret(with: [UInt8], by: SecretBytes) throws(KeychainError) -> SecretBytes { throw Self.refusal }
}
