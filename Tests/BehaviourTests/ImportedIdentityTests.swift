import CertificateTestSupport
import Crypto
import Foundation
import KeychainTestSupport
import Security
import Testing

@Suite("Identities that an import stores")
struct ImportedIdentityTests {
    /// PKCS #12, of a new identity.
    private let file: Data

    /// By a program that derives its keys in as few steps as it may: each import takes as many.
    init() throws {
        let holder = try TestAuthority.root("Authority").issue("Alice")
        let pem = try [holder.certificate.serializeAsPEM().pemString, holder.key.pemRepresentation]
        file = try OpenSSL.inFolder { folder in
            try Data(pem.joined(separator: "\n").utf8).write(to: folder.appending(path: "alice.pem"))
            return try OpenSSL.run(
                ["pkcs12", "-export", "-in", "alice.pem", "-passout", "pass:secret", "-iter", "1"],
                in: folder
            )
        }
    }

    private func imported(_ options: [CFString: Any]) -> OSStatus {
        var items: CFArray?
        let all = options.merging([kSecImportExportPassphrase: "secret"]) { $1 }
        return SecPKCS12Import(file as CFData, all as CFDictionary, &items)
    }

    @Test(arguments: Transport.allCases)
    func `an import that asks for it in words stores certificate and key`(transport: Transport) throws {
        try withKeychain(transport) {
            // The second time both are there already.
            for _ in 1...2 {
                #expect(imported([kSecImportToMemoryOnly: false]) == errSecSuccess)
                #expect(find(identities()).status == errSecSuccess)
            }
        }
        try withKeychain(transport) {
            let options: [CFString: Any] = [kSecImportToMemoryOnly: false, kSecAttrSynchronizable: true]
            #expect(imported(options) == errSecSuccess)
            #expect(find(identities()).status == errSecItemNotFound)
            #expect(find(identities([kSecAttrSynchronizable: true])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `any other import stores nothing, and what it gives can be added`(transport: Transport) throws {
        try withKeychain(transport) {
            for options: [CFString: Any] in [
                [:], [kSecUseDataProtectionKeychain: false], [kSecUseDataProtectionKeychain: true],
                [kSecUseDataProtectionKeychain: true, kSecAttrSynchronizable: true], [kSecImportToMemoryOnly: true],
            ] {
                #expect(imported(options) == errSecSuccess)
                let any = identities([kSecAttrSynchronizable: kSecAttrSynchronizableAny])
                #expect(find(any).status == errSecItemNotFound)
            }
            for key in [kSecImportToMemoryOnly, kSecUseDataProtectionKeychain, kSecAttrSynchronizable] {
                #expect(imported([key: "yes"]) == errSecParam)
                #expect(imported([key: 2]) == errSecParam)
            }
            var items: CFArray?
            let options: [CFString: Any] = [kSecImportExportPassphrase: "secret", kSecUseDataProtectionKeychain: true]
            #expect(SecPKCS12Import(file as CFData, options as CFDictionary, &items) == errSecSuccess)
            let first = try #require((items as? [[String: Any]])?.first)
            let identity = try #require(first[kSecImportItemIdentity as String])
            #expect(add([kSecValueRef: identity]) == errSecSuccess)
        }
    }
}
