public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainModel

/// The serial number: the bytes of the INTEGER, a leading zero included.
///
/// - Parameter error: receives `errSecDecode` for a certificate that cannot be read.
///
/// See [SecCertificateCopySerialNumberData](https://developer.apple.com/documentation/security/seccertificatecopyserialnumberdata(_:_:)).
@discardableResult
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        NSData(copying: try certificate.readableContents().serialNumber)
    }
}

/// The serial number, by an earlier function of iOS.
@available(*, deprecated, message: "Use SecCertificateCopySerialNumberData")
@discardableResult
public func SecCertificateCopySerialNumber(_ certificate: SecCertificate) -> CFData? {
    SecCertificateCopySerialNumberData(certificate, nil)
}

/// The serial number, by an earlier function of macOS.
@available(*, deprecated, message: "Use SecCertificateCopySerialNumberData")
@discardableResult
public func SecCertificateCopySerialNumber(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe SecCertificateCopySerialNumberData(certificate, error)
}

/// The moment from which the certificate is valid.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    certificate.contents.map { NSDate(timeIntervalSinceReferenceDate: $0.notBefore) }
}

/// The last second in which the certificate is valid.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    certificate.contents.map { NSDate(timeIntervalSinceReferenceDate: $0.notAfter) }
}

/// The public key.
///
/// - Returns: nil for a key that is neither RSA nor on P-256, P-384 or P-521.
///
/// See [SecCertificateCopyKey](https://developer.apple.com/documentation/security/seccertificatecopykey(_:)).
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    certificate.contents?.subjectPublicKeyInfo.publicKey.map { SecKey($0) }
}

/// The public key, by an earlier function of iOS.
@available(*, deprecated, message: "Use SecCertificateCopyKey")
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? {
    SecCertificateCopyKey(certificate)
}

/// The public key, by an earlier function of macOS.
///
/// - Parameter key: receives the key; untouched on failure.
/// - Returns: `errSecSuccess`, or `errSecUnsupportedKeyFormat` for a key of another kind.
@available(*, deprecated, message: "Use SecCertificateCopyKey")
@discardableResult
public func SecCertificateCopyPublicKey(
    _ certificate: SecCertificate,
    _ key: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    guard let publicKey = SecCertificateCopyKey(certificate) else { return errSecUnsupportedKeyFormat }
    unsafe key.pointee = publicKey
    return errSecSuccess
}
