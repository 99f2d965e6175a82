public import CoreFoundationAliases
public import Foundation

/// A certificate and the private key that belongs to it. There are no private keys yet, so nothing makes one.
public final class SecIdentity: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and these two never change.
    let certificate: SecCertificate
    let privateKey: SecKey

    init(certificate: SecCertificate, privateKey: SecKey) {
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
}

extension SecIdentity: CFTypeIdentified {
    package static let cfTypeID: CFTypeID = 0x4348_0004
}

/// The type identifier of identities.
@discardableResult
public func SecIdentityGetTypeID() -> CFTypeID {
    SecIdentity.cfTypeID
}

/// Makes an identity of a certificate and a private key.
///
/// - Returns: nil where the key is not the certificate's private one; a public key never is.
@discardableResult
public func SecIdentityCreate(
    _ allocator: CFAllocator?,
    _ certificate: SecCertificate,
    _ privateKey: SecKey
) -> SecIdentity? {
    nil
}

/// Finds the private key of a certificate in the keychain. There are no private keys yet: `errSecUnimplemented`.
///
/// - Parameters:
///   - keychainOrArray: ignored; there is one keychain.
///   - identityRef: untouched.
@discardableResult
public func SecIdentityCreateWithCertificate(
    _ keychainOrArray: CFTypeRef?,
    _ certificateRef: SecCertificate,
    _ identityRef: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
    errSecUnimplemented
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

/// The identity that somebody prefers for a name, such as a host. Nobody can prefer one yet: nil.
@discardableResult
public func SecIdentityCopyPreferred(
    _ name: CFString,
    _ keyUsage: CFArray?,
    _ validIssuers: CFArray?
) -> SecIdentity? {
    nil
}

/// Prefers an identity for a name. There are no identities yet: `errSecUnimplemented`.
@discardableResult
public func SecIdentitySetPreferred(_ identity: SecIdentity?, _ name: CFString, _ keyUsage: CFArray?) -> OSStatus {
    errSecUnimplemented
}
