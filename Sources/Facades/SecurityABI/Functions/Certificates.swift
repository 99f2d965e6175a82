import Foundation
public import Security

@c(SecCertificateGetTypeID)
public func secCertificateGetTypeID() -> CFTypeID { SecType.certificate.identifier }

@c(SecCertificateCreateWithData)
public func secCertificateCreateWithData(
    _ allocator: UnsafeRawPointer?,
    _ data: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecCertificateCreateWithData(nil, try unsafe Argument.data(data))
    }
}

@c(SecCertificateCopyData)
public func secCertificateCopyData(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecCertificateCopyData(try unsafe Argument.certificate(certificate))
    }
}

@c(SecCertificateCopySubjectSummary)
public func secCertificateCopySubjectSummary(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecCertificateCopySubjectSummary(try unsafe Argument.certificate(certificate))
    }
}

@c(SecCertificateCopyNormalizedIssuerSequence)
public func secCertificateCopyNormalizedIssuerSequence(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecCertificateCopyNormalizedIssuerSequence(try unsafe Argument.certificate(certificate))
    }
}

@c(SecCertificateCopyNormalizedSubjectSequence)
public func secCertificateCopyNormalizedSubjectSequence(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecCertificateCopyNormalizedSubjectSequence(try unsafe Argument.certificate(certificate))
    }
}

@c(SecCertificateCopyNotValidBeforeDate)
public func secCertificateCopyNotValidBeforeDate(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecCertificateCopyNotValidBeforeDate(try unsafe Argument.certificate(certificate))
    }
}

@c(SecCertificateCopyNotValidAfterDate)
public func secCertificateCopyNotValidAfterDate(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecCertificateCopyNotValidAfterDate(try unsafe Argument.certificate(certificate))
    }
}

@c(SecCertificateCopyKey)
public func secCertificateCopyKey(_ certificate: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in
        SecCertificateCopyKey(try unsafe Argument.certificate(certificate))
    }
}

@c(SecCertificateCopyCommonName)
public func secCertificateCopyCommonName(
    _ certificate: UnsafeRawPointer?,
    _ commonName: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: commonName) { commonName throws(WrongArgument) in
        unsafe SecCertificateCopyCommonName(try Argument.certificate(certificate), commonName)
    }
}

@c(SecCertificateCopyEmailAddresses)
public func secCertificateCopyEmailAddresses(
    _ certificate: UnsafeRawPointer?,
    _ emailAddresses: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: emailAddresses) { emailAddresses throws(WrongArgument) in
        unsafe SecCertificateCopyEmailAddresses(try Argument.certificate(certificate), emailAddresses)
    }
}

@available(*, deprecated)
@c(SecCertificateCopyPublicKey)
public func secCertificateCopyPublicKey(
    _ certificate: UnsafeRawPointer?,
    _ key: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: key) { key throws(WrongArgument) in
        unsafe SecCertificateCopyPublicKey(try Argument.certificate(certificate), key)
    }
}

@available(*, deprecated)
@c(SecCertificateCopyNormalizedIssuerContent)
public func secCertificateCopyNormalizedIssuerContent(
    _ certificate: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecCertificateCopyNormalizedIssuerContent(try Argument.certificate(certificate), error)
    }
}

@available(*, deprecated)
@c(SecCertificateCopyNormalizedSubjectContent)
public func secCertificateCopyNormalizedSubjectContent(
    _ certificate: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecCertificateCopyNormalizedSubjectContent(try Argument.certificate(certificate), error)
    }
}

@c(SecCertificateCopySerialNumberData)
public func secCertificateCopySerialNumberData(
    _ certificate: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecCertificateCopySerialNumberData(try Argument.certificate(certificate), error)
    }
}

@available(*, deprecated)
@c(SecCertificateCopySerialNumber)
public func secCertificateCopySerialNumber(
    _ certificate: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecCertificateCopySerialNumber(try Argument.certificate(certificate), error)
    }
}

@c(SecCertificateCopyValues)
public func secCertificateCopyValues(
    _ certificate: UnsafeRawPointer?,
    _ keys: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecCertificateCopyValues(try Argument.certificate(certificate), try Argument.optionalArray(keys), error)
    }
}

@c(SecCertificateCopyLongDescription)
public func secCertificateCopyLongDescription(
    _ allocator: UnsafeRawPointer?,
    _ certificate: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecCertificateCopyLongDescription(nil, try Argument.certificate(certificate), error)
    }
}

@c(SecCertificateCopyShortDescription)
public func secCertificateCopyShortDescription(
    _ allocator: UnsafeRawPointer?,
    _ certificate: UnsafeRawPointer?,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe Outcome.object(orError: error) { error throws(WrongArgument) in
        unsafe SecCertificateCopyShortDescription(nil, try Argument.certificate(certificate), error)
    }
}

@c(SecCertificateAddToKeychain)
public func secCertificateAddToKeychain(_ certificate: UnsafeRawPointer?, _ keychain: UnsafeRawPointer?) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        unsafe SecCertificateAddToKeychain(try Argument.certificate(certificate), try Argument.keychain(keychain))
    }
}
