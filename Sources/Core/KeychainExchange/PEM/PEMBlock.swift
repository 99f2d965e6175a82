package import KeychainModel

/// One block of a PEM file (RFC 7468): what it says that it contains, and that.
package struct PEMBlock: Sendable {
    /// The kind that the label names. The block's contents were not checked.
    package enum Kind: Hashable, Sendable {
        case certificate
        /// PrivateKeyInfo.
        case privateKey
        case encryptedPrivateKey
        /// RSAPrivateKey (RFC 8017, appendix A.1.2), perhaps encrypted in OpenSSL's old way.
        case rsaPrivateKey
        /// ECPrivateKey (RFC 5915), perhaps encrypted in OpenSSL's old way.
        case ellipticCurvePrivateKey
        /// SubjectPublicKeyInfo.
        case publicKey
        /// RSAPublicKey (RFC 8017, appendix A.1.1).
        case rsaPublicKey
        case pkcs7
        case certificateRequest
        case other(String)

        init(label: String) {
            self =
                switch label {
                case "CERTIFICATE", "X509 CERTIFICATE": .certificate
                case "PRIVATE KEY": .privateKey
                case "ENCRYPTED PRIVATE KEY": .encryptedPrivateKey
                case "RSA PRIVATE KEY": .rsaPrivateKey
                case "EC PRIVATE KEY": .ellipticCurvePrivateKey
                case "PUBLIC KEY": .publicKey
                case "RSA PUBLIC KEY": .rsaPublicKey
                case "PKCS7", "CMS": .pkcs7
                case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST": .certificateRequest
                default: .other(label)
                }
        }

        var label: String {
            switch self {
            case .certificate: "CERTIFICATE"
            case .privateKey: "PRIVATE KEY"
            case .encryptedPrivateKey: "ENCRYPTED PRIVATE KEY"
            case .rsaPrivateKey: "RSA PRIVATE KEY"
            case .ellipticCurvePrivateKey: "EC PRIVATE KEY"
            case .publicKey: "PUBLIC KEY"
            case .rsaPublicKey: "RSA PUBLIC KEY"
            case .pkcs7: "PKCS7"
            case .certificateRequest: "CERTIFICATE REQUEST"
            case .other(let label): label
            }
        }
    }

    /// A header of RFC 1421, section 4.6, of which only OpenSSL's old way to encrypt makes use.
    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package let kind: Kind
    package let headers: [Header]
    /// What the base64 stands for. Any block may be a private key.
    package let content: SecretBytes

    /// A copy, for what is no secret.
    package var bytes: [UInt8] { unsafe content.withUnsafeBytes { unsafe Array($0) } }

    /// Whether a password is needed.
    package var isEncrypted: Bool { kind == .encryptedPrivateKey || isEncryptedInTheOldWay }

    var isEncryptedInTheOldWay: Bool {
        value(of: "Proc-Type")?.split(separator: ",").map { $0.drop { $0 == " " } } == ["4", "ENCRYPTED"]
    }

    func value(of name: String) -> String? { headers.first { $0.name == name }?.value }
}
