import Foundation
import LocalAuthentication
import Security
import SwiftASN1
import X509

/// Who the client is: its key in the Secure Enclave and the certificate of it, both in the keychain.
struct ClientIdentity: Sendable {
    let key: EnclaveKey
    /// In DER.
    let certificate: [UInt8]

    private static let tag = Data("org.example.enclave-tls".utf8)

    /// The one that is there, or a new one.
    ///
    /// - Parameter asks: whether a new key asks for the person whenever it signs.
    static func findOrMake(asking asks: Bool) throws -> ClientIdentity { try find() ?? make(asking: asks) }

    static func find() throws -> ClientIdentity? {
        guard let identity = try reference() else { return nil }
        var key: SecKey?
        var certificate: SecCertificate?
        guard SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess,
            SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess, let key, let certificate
        else { throw Failure("the identity has no halves") }
        return ClientIdentity(key: try EnclaveKey(key), certificate: Array(SecCertificateCopyData(certificate) as Data))
    }

    private static func reference() throws -> SecIdentity? {
        let context = LAContext()
        context.localizedReason = "Connect to the server"
        let query: [CFString: Any] = [
            kSecClass: kSecClassIdentity, kSecAttrApplicationTag: tag, kSecReturnRef: true,
            kSecUseAuthenticationContext: context,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let identity = result as? SecIdentity else {
            throw Failure("no identity can be looked for", status)
        }
        return identity
    }

    private static func make(asking asks: Bool) throws -> ClientIdentity {
        let key = try EnclaveKey(makeKey(asking: asks))
        let der = try selfSigned("enclave-tls client", by: .init(key))
        guard let certificate = SecCertificateCreateWithData(nil, Data(der) as CFData) else {
            throw Failure("the new certificate is none")
        }
        // Beside its key it makes an identity.
        let status = SecItemAdd(
            [kSecValueRef: certificate, kSecAttrLabel: "enclave-tls client"] as [CFString: Any] as CFDictionary,
            nil
        )
        guard status == errSecSuccess else { throw Failure("the certificate cannot be kept", status) }
        guard let identity = try find() else { throw Failure("key and certificate are no identity") }
        return identity
    }

    private static func makeKey(asking asks: Bool) throws -> SecKey {
        var error: Unmanaged<CFError>?
        let flags: SecAccessControlCreateFlags = asks ? [.privateKeyUsage, .userPresence] : .privateKeyUsage
        let protection = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        guard let control = SecAccessControlCreateWithFlags(nil, protection, flags, &error) else {
            throw Failure("no such demand can be made", error)
        }
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag, kSecAttrAccessControl: control,
            ] as [CFString: Any],
        ]
        guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
            throw Failure("no key can be made", error)
        }
        return key
    }

    /// Deletes key and certificate: by their object, for the tag is an attribute of the key alone.
    static func delete() throws {
        guard let identity = try reference() else { return }
        let status = SecItemDelete([kSecValueRef: identity] as [CFString: Any] as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw Failure("the identity cannot be deleted", status)
        }
    }
}

/// A certificate that says no more than a name, valid for a year: the other end knows it by its bytes.
func selfSigned(_ name: String, by key: X509.Certificate.PrivateKey) throws -> [UInt8] {
    let name = try DistinguishedName { CommonName(name) }
    let certificate = try X509.Certificate(
        version: .v3,
        serialNumber: .init(),
        publicKey: key.publicKey,
        notValidBefore: .now - 60,
        notValidAfter: .now + 365 * 86400,
        issuer: name,
        subject: name,
        signatureAlgorithm: .ecdsaWithSHA256,
        extensions: X509.Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
        },
        issuerPrivateKey: key
    )
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
}
