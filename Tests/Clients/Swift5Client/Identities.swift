// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

/// "Importing an Identity" and "Storing an Identity in the Keychain", as apps do it for client certificates.
struct ClientIdentity {
    /// What a Mac's Keychain Access exports: RC2 and 3DES. Its passphrase is "secret".
    static let file = Data(
        base64Encoded: """
            MIIDxQIBAzCCA4sGCSqGSIb3DQEHAaCCA3wEggN4MIIDdDCCAk8GCSqGSIb3DQEHBqCCAkAwggI8AgEAMIICNQYJKoZIhvcNAQcB
            MBwGCiqGSIb3DQEMAQYwDgQIF0dkk9VBksgCAggAgIICCA05AbsPBovWDmNYQMsODaAhwMu4JtvJB+vWgcZoQTGX8Zw6io+n5CFj
            EWsdrM0AqZB86NPcgA8x1p6sSns4RrSgUNkTQhIyd2tTMCLuUwWCLNc8NH59nHUHV1jhDT3wEps5XSIy4ZgJsDNAI/SOsfr3wiv5
            NbRmikS8DMS68ls59ubK4GD1FvxIr9S3Jg/yfYHpdxE9pDgRaDUWTyOUV7HnNE9u7RJ7y9wsqtO4pgxNnEFK2sQ3tVPT75uoWPH0
            aqMWE0it2pwOJtdTK2E/xdnSF4QtQqFY3COQj9WbZYimDQ5KZf6tpMIV4lqoaUAROU8h/j8FuQ9GLB3RtKd2/CHY65YkJfsLfEKA
            gOvdfRWcyDrQra0vV2dUwIM2bX0dimusRIqAOW7sw9jTzITOUzsbhenst6GUXzHnMGuW8BeNLppQtPo+oDurShjNpJJTUYgqr/BU
            FEmFZAZTmse7a3WpPq/V7YmO4dHnCfjwQBq7DjvvLXuNxcfTr4szKBOySkt+BKdhhDYhsxe2GLZFNAPdJQZsz8GMr4LizaNbpXoe
            +lhQQFu/V81TycSgm5FRvDSPZ3pp4v8YwgJJ7b6aFOvFDtm6KyRupq0s5wCBSs+LxrrziCN5aWZjd7luMjP61J1p5/ijqaQy1IhO
            SMXafzfsqgMmWOWOfaOdNdaEE0BZYqx/iNQTt1IwggEdBgkqhkiG9w0BBwGgggEOBIIBCjCCAQYwggECBgsqhkiG9w0BDAoBAqCB
            tDCBsTAcBgoqhkiG9w0BDAEDMA4ECPgD4KxzUVfQAgIIAASBkHhz55Kg8ZUKBzeGqRAjeA3RaoTBEmSIbUL6UhzgXPjssDWN09Z7
            YGO/hhMmBhskGYT/0g0nz/cauaUi4H4B/enSvVYc6AEBb82mi1th2wPmjuvLbT/efughyaPLc7yocuTLmmPk0sHDO6uJ5+f10Guj
            BFRNC0epcxruvggBpAlvgHp4RlBuNEYSWujqWLBGbTE8MBUGCSqGSIb3DQEJFDEIHgYAQQBkAGEwIwYJKoZIhvcNAQkVMRYEFCP2
            oAkJS8Z2Puovg4lPEmnIZz8QMDEwITAJBgUrDgMCGgUABBSZFq35+vyEI5YjkXzqVG18PVDuFgQIZcT2Pyzm6rwCAggA
            """,
        options: .ignoreUnknownCharacters
    )!

    let identity: SecIdentity
    let chain: [SecCertificate]

    init?(_ data: Data, password: String) {
        let options = [kSecImportExportPassphrase as String: password]
        var rawItems: CFArray?
        let status = SecPKCS12Import(data as CFData, options as CFDictionary, &rawItems)
        guard status == errSecSuccess else {
            check(status == errSecAuthFailed, "the status of a wrong password")
            return nil
        }
        let items = rawItems! as! [[String: Any]]
        let firstItem = items[0]
        identity = firstItem[kSecImportItemIdentity as String] as! SecIdentity
        chain = firstItem[kSecImportItemCertChain as String] as! [SecCertificate]
        check(firstItem[kSecImportItemTrust as String] != nil, "an import brings a trust")
        check((firstItem[kSecImportItemKeyID as String] as? Data)?.count == 20, "and an identifier of the key")
    }

    func store(label: String) -> OSStatus {
        SecItemAdd([kSecValueRef as String: identity, kSecAttrLabel as String: label] as CFDictionary, nil)
    }

    static func find(label: String) -> SecIdentity? {
        let query: [String: Any] = [
            kSecClass as String: kSecClassIdentity,
            kSecAttrLabel as String: label,
            kSecReturnRef as String: true,
        ]
        var item: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return nil }
        return (item as! SecIdentity)
    }
}

func identities() throws {
    check(ClientIdentity(ClientIdentity.file, password: "wrong") == nil, "a wrong password")
    let imported = ClientIdentity(ClientIdentity.file, password: "secret")!
    check(imported.chain.count == 1, "the chain")
    check(ClientIdentity.find(label: "Ada") == nil, "an import stores nothing")
    check(imported.store(label: "Ada") == errSecSuccess, "store")
    check(imported.store(label: "Ada") == errSecDuplicateItem, "store again")
    let found = ClientIdentity.find(label: "Ada")!
    check(found == imported.identity && CFEqual(found, imported.identity), "the same identity")

    var certificate: SecCertificate?
    check(SecIdentityCopyCertificate(found, &certificate) == errSecSuccess, "its certificate")
    check(SecCertificateCopySubjectSummary(certificate!)! as String == "Ada", "its name")
    var privateKey: SecKey?
    check(SecIdentityCopyPrivateKey(found, &privateKey) == errSecSuccess, "its key")
    var error: Unmanaged<CFError>?
    let message = Data("hello".utf8) as CFData
    let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
    guard let signature = SecKeyCreateSignature(privateKey!, algorithm, message, &error) else {
        throw error!.takeRetainedValue() as Error
    }
    let publicKey = SecCertificateCopyKey(certificate!)!
    check(SecKeyVerifySignature(publicKey, algorithm, message, signature, &error), "they belong together")

    // By a persistent reference, as VPN profiles have it.
    var reference: CFTypeRef?
    let query: [String: Any] = [
        kSecClass as String: kSecClassIdentity,
        kSecAttrLabel as String: "Ada",
        kSecReturnPersistentRef as String: true,
    ]
    check(SecItemCopyMatching(query as CFDictionary, &reference) == errSecSuccess, "a persistent reference")
    let again: [String: Any] = [
        kSecValuePersistentRef as String: reference as! Data,
        kSecReturnRef as String: true,
    ]
    var same: CFTypeRef?
    check(SecItemCopyMatching(again as CFDictionary, &same) == errSecSuccess && CFEqual(same!, found), "leads back")
    check(
        SecItemDelete([kSecValueRef as String: found] as CFDictionary) == errSecSuccess,
        "delete by reference"
    )
    check(ClientIdentity.find(label: "Ada") == nil, "gone")
    let keys: [String: Any] = [kSecClass as String: kSecClassKey]
    check(SecItemCopyMatching(keys as CFDictionary, nil) == errSecItemNotFound, "and its key")
}
