import CryptoKit
import Foundation
import LocalAuthentication
import Security
import Testing

/// As programs for Apple's platforms write it.
@Suite("CryptoKit's SecureEnclave")
struct CryptoKitTests {
    private let message = Data("a message".utf8)

    @Test(arguments: Transport.allCases)
    func `a key signs, and is taken up again by its data`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(SecureEnclave.isAvailable)
            let key = try SecureEnclave.P256.Signing.PrivateKey()
            let signature = try key.signature(for: message)
            #expect(key.publicKey.isValidSignature(signature, for: message))
            #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
            let again = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: key.dataRepresentation)
            #expect(again.publicKey.x963Representation == key.publicKey.x963Representation)
            let digest = SHA384.hash(data: message)
            #expect(key.publicKey.isValidSignature(try again.signature(for: digest), for: digest))
            // Nothing was stored.
            #expect(find(keys()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key agrees with others on the secret that they find`(transport: Transport) throws {
        try withKeychain(transport) {
            let mine = try SecureEnclave.P256.KeyAgreement.PrivateKey()
            let theirs = P256.KeyAgreement.PrivateKey()
            let secret = try mine.sharedSecretFromKeyAgreement(with: theirs.publicKey)
            let same = try theirs.sharedSecretFromKeyAgreement(with: mine.publicKey)
            #expect(secret == same)
            let derived = { (secret: SharedSecret) in
                secret.hkdfDerivedSymmetricKey(
                    using: SHA256.self,
                    salt: Data(),
                    sharedInfo: Data("info".utf8),
                    outputByteCount: 32
                )
            }
            #expect(derived(secret) == derived(same))
            let other = try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: mine.dataRepresentation)
            #expect(try other.sharedSecretFromKeyAgreement(with: theirs.publicKey) == same)
        }
    }

    @Test(arguments: Transport.inThisProcess)
    func `a key is compact where that is wished, and otherwise as it comes`(transport: Transport) throws {
        try withKeychain(transport) {
            var compact = 0
            for _ in 0..<24 {
                let wished = try SecureEnclave.P256.KeyAgreement.PrivateKey(compactRepresentable: true)
                #expect(wished.publicKey.compactRepresentation != nil)
                let free = try SecureEnclave.P256.KeyAgreement.PrivateKey(compactRepresentable: false)
                if free.publicKey.compactRepresentation != nil { compact += 1 }
            }
            // One of 16 million runs has all or none.
            #expect((1...23).contains(compact))
        }
    }

    @Test(arguments: Transport.inThisProcess)
    func `data that is no key's, and a key that may not be used, are errors`(transport: Transport) throws {
        try withKeychain(transport) {
            for data in [Data(), Data([1, 2, 3]), Data(count: 200)] {
                let error = try #require(throws: NSError.self) {
                    try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: data)
                }
                #expect(error.code == Int(errSecParam))
            }
            let control = try #require(
                SecAccessControlCreateWithFlags(
                    nil,
                    kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                    [.privateKeyUsage, .applicationPassword],
                    nil
                )
            )
            let context = LAContext()
            context.interactionNotAllowed = true
            context.setCredential(Data("right".utf8), type: .applicationPassword)
            let key = try SecureEnclave.P256.Signing.PrivateKey(
                compactRepresentable: false,
                accessControl: control,
                authenticationContext: context
            )
            #expect(key.publicKey.isValidSignature(try key.signature(for: message), for: message))
            let silent = LAContext()
            silent.interactionNotAllowed = true
            let locked = try SecureEnclave.P256.Signing.PrivateKey(
                dataRepresentation: key.dataRepresentation,
                authenticationContext: silent
            )
            let error = try #require(throws: NSError.self) { try locked.signature(for: message) }
            #expect(error.code == Int(errSecInteractionNotAllowed))
        }
    }
}
