public import CoreFoundationAliases
public import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainModel

/// The line by which people tell certificates apart: the common name, else the organisational unit, the organisation, an
/// e-mail address or a host.
///
/// - Returns: nil for a subject that has none of them. Control characters are left out, as are those that turn the
///   direction of text.
///
/// See [SecCertificateCopySubjectSummary](https://developer.apple.com/documentation/security/seccertificatecopysubjectsummary(_:)).
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.contents?.summary.map { $0 as NSString }
}

/// The common name of the subject, as it stands in the certificate.
///
/// - Parameter commonName: receives the name; untouched on failure.
/// - Returns: `errSecSuccess`; −26276 (errSecInternal) for a subject without a common name, or whose name has a NUL in
///   it; `errSecDecode` for a certificate that cannot be read.
///
/// See [SecCertificateCopyCommonName](https://developer.apple.com/documentation/security/seccertificatecopycommonname(_:_:)).
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate,
    _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    status { () throws(KeychainError) in
        guard let name = try certificate.readableContents().commonName else {
            throw KeychainError(.missingField, "the subject has no common name")
        }
        unsafe commonName.pointee = name as NSString
    }
}

/// The e-mail addresses of the subject: those of its name, then those of its alternative names.
///
/// - Parameter emailAddresses: receives an array of strings, which may be empty; untouched on failure.
/// - Returns: `errSecSuccess`; `errSecDecode` for a certificate that cannot be read.
///
/// See [SecCertificateCopyEmailAddresses](https://developer.apple.com/documentation/security/seccertificatecopyemailaddresses(_:_:)).
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate,
    _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    status { () throws(KeychainError) in
        unsafe emailAddresses.pointee = try certificate.readableContents().emailAddresses as NSArray
    }
}

/// The name of the issuer in the form in which names are compared, as a SEQUENCE in DER.
///
/// See [SecCertificateCopyNormalizedIssuerSequence](https://developer.apple.com/documentation/security/seccertificatecopynormalizedissuersequence(_:)).
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    certificate.contents.map { NSData(copying: $0.issuer.normalizedSequence) }
}

/// The name of the subject in the form in which names are compared, as a SEQUENCE in DER.
///
/// - Returns: nil for a certificate whose subject is malformed.
///
/// See [SecCertificateCopyNormalizedSubjectSequence](https://developer.apple.com/documentation/security/seccertificatecopynormalizedsubjectsequence(_:)).
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    certificate.contents?.subject.map { NSData(copying: $0.normalizedSequence) }
}

/// What the normalised name of the issuer has in its SEQUENCE: the value of `kSecAttrIssuer`.
@available(*, deprecated, message: "Use SecCertificateCopyNormalizedIssuerSequence")
@discardableResult
public func SecCertificateCopyNormalizedIssuerContent(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        NSData(copying: try certificate.readableContents().issuer.normalizedContent)
    }
}

/// What the normalised name of the subject has in its SEQUENCE: the value of `kSecAttrSubject`.
///
/// - Parameter error: receives `errSecDecode` for a certificate whose subject is malformed.
@available(*, deprecated, message: "Use SecCertificateCopyNormalizedSubjectSequence")
@discardableResult
public func SecCertificateCopyNormalizedSubjectContent(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe reporting(to: error) { () throws(KeychainError) in
        guard let subject = try certificate.readableContents().subject else {
            throw KeychainError(.undecodable, "the subject of the certificate cannot be read")
        }
        return NSData(copying: subject.normalizedContent)
    }
}

/// The status of a call that only reads.
private func status(_ body: () throws(KeychainError) -> Void) -> OSStatus {
    do throws(KeychainError) {
        try body()
        return errSecSuccess
    } catch {
        return error.status
    }
}
