import SecurityObjects

/// The public key of the certificate that is evaluated, trusted or not.
///
/// - Returns: nil for a key that is neither RSA nor on P-256, P-384 or P-521.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
    trust.settings.certificates.first.flatMap { SecCertificateCopyKey($0) }
}

/// The public key of the certificate that is evaluated.
@available(*, deprecated, renamed: "SecTrustCopyKey")
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? {
    SecTrustCopyKey(trust)
}
