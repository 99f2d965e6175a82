import CryptoKit
import EnclaveInterface
import Foundation
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

/// As programs for Apple's platforms write it.
@Suite("CryptoKit's SecureEnclave: ML-DSA and ML-KEM", .timeLimit(.minutes(10)))
struct QuantumCryptoKitTests {
    private let message = Data("a message".utf8)

    /// The four types.
    private static let types: [any UsableKey.Type] = [
        SecureEnclave.MLDSA65.PrivateKey.self, SecureEnclave.MLDSA87.PrivateKey.self,
        SecureEnclave.MLKEM768.PrivateKey.self, SecureEnclave.MLKEM1024.PrivateKey.self,
    ]

    private func control(
        _ flags: SecAccessControlCreateFlags,
        _ protection: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    ) throws -> SecAccessControl {
        try #require(SecAccessControlCreateWithFlags(nil, protection, flags, nil))
    }

    private func refusal(_ body: () throws -> Void) -> OSStatus? {
        do {
            try body()
            return nil
        } catch {
            return OSStatus((error as NSError).code)
        }
    }

    // MARK: - Over every transport

    @Test(arguments: Transport.allCases)
    func `a key signs, and is taken up again by its data`(transport: Transport) throws {
        try withKeychain(transport) {
            let key = try SecureEnclave.MLDSA65.PrivateKey()
            let signature = try key.signature(for: message)
            #expect(signature.count == 3_309)
            #expect(key.publicKey.isValidSignature(signature, for: message))
            #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
            let again = try SecureEnclave.MLDSA65.PrivateKey(dataRepresentation: key.dataRepresentation)
            #expect(again.publicKey.rawRepresentation == key.publicKey.rawRepresentation)
            let inContext = try again.signature(for: Array(message), context: [1, 2])
            #expect(key.publicKey.isValidSignature(inContext, for: message, context: Data([1, 2])))
            #expect(!key.publicKey.isValidSignature(inContext, for: message))

            let larger = try SecureEnclave.MLDSA87.PrivateKey()
            let long = Data(repeating: 7, count: 48 << 10)
            let longest = try larger.signature(for: long, context: Data(repeating: 1, count: 255))
            #expect(longest.count == 4_627)
            #expect(larger.publicKey.isValidSignature(longest, for: long, context: Data(repeating: 1, count: 255)))
            #expect(larger.publicKey.isValidSignature(try larger.signature(for: Data()), for: Data()))
            #expect(refusal { _ = try larger.signature(for: long + [7]) } == errSecDataTooLarge)
            #expect(refusal { _ = try larger.signature(for: long, context: Data(count: 256)) } == errSecParam)
            // Nothing was stored.
            #expect(find(keys()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key opens what is encapsulated for it`(transport: Transport) throws {
        try withKeychain(transport) {
            try opens(SecureEnclave.MLKEM768.PrivateKey.self)
            try opens(SecureEnclave.MLKEM1024.PrivateKey.self)
            let key = try SecureEnclave.MLKEM768.PrivateKey()
            let again = try SecureEnclave.MLKEM768.PrivateKey(dataRepresentation: key.dataRepresentation)
            let encapsulated = try key.publicKey.encapsulate()
            #expect(try again.decapsulate(encapsulated.encapsulated) == encapsulated.sharedSecret)
            for size in [0, 1_087, 1_089, 1_568, 1 << 20] {
                #expect(refusal { _ = try key.decapsulate(Data(count: size)) } == errSecParam)
            }
        }
    }

    /// As code that knows no more than the protocol.
    private func opens<Key: KEMPrivateKey>(_ type: Key.Type) throws {
        let key = try Key.generate()
        let encapsulated = try key.publicKey.encapsulate()
        #expect(try key.decapsulate(encapsulated.encapsulated) == encapsulated.sharedSecret)
        let other = try Key.generate().publicKey.encapsulate()
        #expect(try key.decapsulate(other.encapsulated) != other.sharedSecret)
    }

    @Test(arguments: Transport.allCases)
    func `the person is asked at each use of a key that demands it`(transport: Transport) throws {
        let keychain = try AttendedKeychain(transport)
        try keychain.run {
            for type in Self.types {
                let before = keychain.person.dialogs
                let guarded = try control([.privateKeyUsage, .userPresence])
                let key = try type.init(accessControl: guarded, authenticationContext: nil)
                #expect(keychain.person.dialogs == before)
                keychain.person.answer(.secret("open sesame"))
                #expect(try key.isUsable())
                #expect(keychain.person.dialogs == before + 1)
                keychain.person.answer(.no)
                #expect(refusal { _ = try key.isUsable() } == errSecUserCanceled)
                #expect(keychain.person.dialogs == before + 2)
                let silent = LAContext()
                silent.interactionNotAllowed = true
                let quiet = try type.init(data: key.dataRepresentation, silent)
                #expect(refusal { _ = try quiet.isUsable() } == errSecInteractionNotAllowed)
                // What is proved in a context counts for each use.
                let context = LAContext()
                let contextual = try type.init(data: key.dataRepresentation, context)
                keychain.person.answer(.secret("open sesame"))
                #expect(try contextual.isUsable())
                #expect(try contextual.isUsable())
                #expect(keychain.person.dialogs == before + 3)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an application password opens a key's use, and a wrong one does not`(transport: Transport) throws {
        func context(_ password: String?) -> LAContext {
            let context = LAContext()
            context.interactionNotAllowed = true
            if let password { context.setCredential(Data(password.utf8), type: .applicationPassword) }
            return context
        }
        try withKeychain(transport) {
            for type in Self.types {
                let control = try control([.privateKeyUsage, .applicationPassword])
                let key = try type.init(accessControl: control, authenticationContext: context("right"))
                #expect(try key.isUsable())
                let data = key.dataRepresentation
                #expect(refusal { _ = try type.init(data: data, context("wrong")).isUsable() } == errSecAuthFailed)
                #expect(
                    refusal { _ = try type.init(data: data, context(nil)).isUsable() } == errSecInteractionNotAllowed
                )
                #expect(try type.init(data: data, context("right")).isUsable())
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `data of another type of key, and what is no key at all, are wrong parameters`(transport: Transport) throws {
        try withKeychain(transport) {
            let made = try Self.types.map { try $0.init(authenticationContext: nil) }
            let classical = try SecureEnclave.P256.Signing.PrivateKey()
            for type in Self.types {
                for key in made {
                    let status = refusal { _ = try type.init(data: key.dataRepresentation, nil) }
                    #expect(status == (Swift.type(of: key) == type ? nil : errSecParam))
                }
                for data in [classical.dataRepresentation, Data(), Data([1, 2, 3]), Data(count: 4_000)] {
                    #expect(refusal { _ = try type.init(data: data, nil) } == errSecParam)
                }
            }
            for key in made {
                let data = key.dataRepresentation
                #expect(
                    refusal { _ = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: data) } == errSecParam
                )
                #expect(
                    refusal { _ = try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: data) }
                        == errSecParam
                )
                // Nor is there an object, or an item, of it.
                let attributes: [CFString: Any] = [
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, "toid" as CFString: data,
                ]
                #expect(SecKeyCreateWithData(Data() as CFData, attributes as CFDictionary, nil) == nil)
                let item = keys([kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecValueData: data])
                #expect(add(item) == errSecParam)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key is kept as a password's value, and as any data`(transport: Transport) throws {
        try withKeychain(transport) {
            let key = try SecureEnclave.MLDSA87.PrivateKey()
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "key", kSecAttrService: "quantum",
            ]
            #expect(add(query.merging([kSecValueData: key.dataRepresentation]) { $1 }) == errSecSuccess)
            let found = find(query.merging([kSecReturnData: true]) { $1 })
            let again = try SecureEnclave.MLDSA87.PrivateKey(dataRepresentation: try #require(found.result as? Data))
            #expect(key.publicKey.isValidSignature(try again.signature(for: message), for: message))
        }
    }

    @Test(arguments: Transport.allCases)
    func `data in which anything was changed signs and opens nothing`(transport: Transport) throws {
        try withKeychain(transport) {
            for type in Self.types {
                let key = try type.init(authenticationContext: nil)
                let data = key.dataRepresentation
                // In the content, in the public key, in the class, in the key's number.
                for (index, mask): (Int, UInt8) in [(data.count - 1, 1), (200, 1), (24, 1), (40, 1)] {
                    var altered = data
                    altered[index] ^= mask
                    guard let other = try? type.init(data: altered, nil) else { continue }
                    #expect(refusal { _ = try other.isUsable() } == errSecDecode, "byte \(index)")
                }
                #expect(try key.isUsable())
            }
        }
    }

    @Test(arguments: Transport.lockableAtNoCost)
    func `a key can be used while its class is unlocked, and by default from the first unlock on`(
        transport: Transport
    ) throws {
        let fixture = try KeychainFixture(transport, isLockable: true)
        let owner = try #require(try fixture.control())
        try owner.changePasscode(from: nil, to: AttendedKeychain.passcode)
        try fixture.asProgram(groups: ["test.default"]) {
            for type in Self.types {
                let whenUnlocked = try type.init(accessControl: control([]), authenticationContext: nil)
                let afterwards = try type.init(authenticationContext: nil)
                try owner.lock()
                #expect(refusal { _ = try whenUnlocked.isUsable() } == errSecInteractionNotAllowed)
                #expect(try afterwards.isUsable())
                let bare = try control([])
                #expect(
                    refusal { _ = try type.init(accessControl: bare, authenticationContext: nil) }
                        == errSecInteractionNotAllowed
                )
                try owner.logOut()
                #expect(refusal { _ = try afterwards.isUsable() } == errSecInteractionNotAllowed)
                #expect(refusal { _ = try type.init(authenticationContext: nil) } == errSecInteractionNotAllowed)
                try owner.unlock(AttendedKeychain.passcode)
                #expect(try whenUnlocked.isUsable() && afterwards.isUsable())
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `constraints without privateKeyUsage are refused, as those of P-256 are`(transport: Transport) throws {
        try withKeychain(transport) {
            let reading = try control(.userPresence)
            for type in Self.types {
                #expect(
                    refusal { _ = try type.init(accessControl: reading, authenticationContext: nil) } == errSecParam
                )
            }
        }
    }

    @Test(arguments: [Transport.memory, .embedded, .session, .system].filter { Transport.allCases.contains($0) })
    func `another program uses a key where it has the key's group, and not otherwise`(transport: Transport) throws {
        let fixture = try KeychainFixture(transport)
        let data = try fixture.asProgram(groups: ["test.one", "test.shared"]) {
            try SecureEnclave.MLKEM1024.PrivateKey().dataRepresentation
        }
        try fixture.asProgram(groups: ["test.shared"]) {
            let key = try SecureEnclave.MLKEM1024.PrivateKey(dataRepresentation: data)
            #expect(refusal { _ = try key.isUsable() } == errSecMissingEntitlement)
        }
        try fixture.asProgram(groups: ["test.shared", "test.one"]) {
            let key = try SecureEnclave.MLKEM1024.PrivateKey(dataRepresentation: data)
            #expect(try key.isUsable())
        }
    }
}

/// What the four types have in common.
private protocol UsableKey: Sendable {
    init(accessControl: SecAccessControl, authenticationContext: LAContext?) throws
    init(authenticationContext: LAContext?) throws
    init<D: DataProtocol>(dataRepresentation: D, authenticationContext: LAContext?) throws
    var dataRepresentation: Data { get }

    /// Uses it once.
    func isUsable() throws -> Bool
}

extension UsableKey {
    init(data: Data, _ context: LAContext?) throws {
        try self.init(dataRepresentation: data, authenticationContext: context)
    }
}

extension SecureEnclave.MLDSA65.PrivateKey: UsableKey {
    fileprivate func isUsable() throws -> Bool {
        publicKey.isValidSignature(try signature(for: Data([1, 2])), for: Data([1, 2]))
    }
}

extension SecureEnclave.MLDSA87.PrivateKey: UsableKey {
    fileprivate func isUsable() throws -> Bool {
        publicKey.isValidSignature(try signature(for: Data([1, 2])), for: Data([1, 2]))
    }
}

extension SecureEnclave.MLKEM768.PrivateKey: UsableKey {
    fileprivate func isUsable() throws -> Bool {
        let encapsulated = try publicKey.encapsulate()
        return try decapsulate(encapsulated.encapsulated) == encapsulated.sharedSecret
    }
}

extension SecureEnclave.MLKEM1024.PrivateKey: UsableKey {
    fileprivate func isUsable() throws -> Bool {
        let encapsulated = try publicKey.encapsulate()
        return try decapsulate(encapsulated.encapsulated) == encapsulated.sharedSecret
    }
}
