import CertificateTestSupport
import Crypto
import Foundation
import Security
import Testing

@Suite("Identities that an import stores")
struct ImportedIdentityTests {
    /// PKCS #12, of a new identity.
    private let file: Data

    init() throws {
        let holder = try TestAuthority.root("Authority").issue("Alice")
        let certificate = try #require(SecCertificateCreateWithData(nil, Data(holder.der) as CFData))
        let attributes = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        ]
        let key = try #require(
            SecKeyCreateWithData(holder.key.x963Representation as CFData, attributes as CFDictionary, nil)
        )
        let identity = try #require(SecIdentityCreate(nil, certificate, key))
        var parameters = SecItemImportExportKeyParameters()
        let passphrase = "secret" as NSString
        parameters.passphrase = Unmanaged.passUnretained(passphrase)
        var file: CFData?
        let status = withExtendedLifetime(passphrase) {
            SecItemExport(identity, .formatPKCS12, [], &parameters, &file)
        }
        #expect(status == errSecSuccess)
        self.file = try #require(file) as Data
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
