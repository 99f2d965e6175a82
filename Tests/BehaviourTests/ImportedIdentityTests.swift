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
    func `an import for the data protection keychain stores certificate and key`(transport: Transport) throws {
        try withKeychain(transport) {
            // The second time both are there already.
            for _ in 1...2 {
                #expect(imported([kSecUseDataProtectionKeychain: true]) == errSecSuccess)
                #expect(find(identities()).status == errSecSuccess)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `any other import stores nothing`(transport: Transport) throws {
        try withKeychain(transport) {
            for options: [CFString: Any] in [
                [:], [kSecUseDataProtectionKeychain: false],
                [kSecUseDataProtectionKeychain: true, kSecImportToMemoryOnly: true],
            ] {
                #expect(imported(options) == errSecSuccess)
                #expect(find(identities()).status == errSecItemNotFound)
            }
            #expect(imported([kSecImportToMemoryOnly: "yes"]) == errSecParam)
            #expect(imported([kSecUseDataProtectionKeychain: 2]) == errSecParam)
        }
    }
}
