public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainModel

/// A certificate and the private key that belongs to it.
///
/// Two of them are equal when certificate and key are.
public final class SecIdentity: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and these two never change.
    let certificate: SecCertificate
    let privateKey: SecKey

    /// - Returns: nil where the key is not the certificate's private one.
    init?(_ certificate: SecCertificate, _ privateKey: SecKey) {
        guard privateKey.material.isPrivate,
            certificate.contents?.subjectPublicKeyInfo.publicKey == privateKey.publicKey
        else { return nil }
        self.certificate = certificate
        self.privateKey = privateKey
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecIdentity else { return false }
        return other.certificate == certificate && other.privateKey == privateKey
    }

    public override var hash: Int {
        certificate.hashValue
    }

    /// What its items are made of, or found by.
    var reference: ItemReference {
        get throws(KeychainError) {
            .identity(certificate: certificate.bytes, key: try privateKey.material.reference)
        }
    }
}

extension SecIdentity: CFTypeIdentified {
    package static let cfTypeID: CFTypeID = 0x4348_0004
}

/// The type identifier of identities.
@discardableResult
public func SecIdentityGetTypeID() -> CFTypeID {
    SecIdentity.cfTypeID
}

/// Makes an identity of a certificate and a private key. Nothing is stored.
///
/// - Returns: nil where the key is not the certificate's private one.
@discardableResult
public func SecIdentityCreate(
    _ allocator: CFAllocator?,
    _ certificate: SecCertificate,
    _ privateKey: SecKey
) -> SecIdentity? {
    SecIdentity(certificate, privateKey)
}

/// Finds the private key of a certificate in the keychain. The certificate itself need not be there.
///
/// - Parameters:
///   - keychainOrArray: ignored; there is one keychain.
///   - identityRef: receives the identity; untouched on failure.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` where no such key is there; what `SecItemCopyMatching` returns.
@discardableResult
public func SecIdentityCreateWithCertificate(
    _ keychainOrArray: CFTypeRef?,
    _ certificateRef: SecCertificate,
    _ identityRef: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
    guard let hash = certificateRef.contents?.publicKeyHash else { return errSecDecode }
    let query =
        [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecAttrApplicationLabel: NSData(copying: hash), kSecAttrSynchronizable: kSecAttrSynchronizableAny,
            kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true,
        ] as CFDictionary
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query, &result)
    guard status == errSecSuccess else { return status }
    let keys = (result as? [Any] ?? []).compactMap { $0 as? SecKey }
    guard let identity = keys.lazy.compactMap({ SecIdentity(certificateRef, $0) }).first else {
        return errSecItemNotFound
    }
    unsafe identityRef.pointee = identity
    return errSecSuccess
}

/// The certificate of an identity.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identityRef: SecIdentity,
    _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    unsafe certificateRef.pointee = identityRef.certificate
    return errSecSuccess
}

/// The private key of an identity.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identityRef: SecIdentity,
    _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    unsafe privateKeyRef.pointee = identityRef.privateKey
    return errSecSuccess
}
