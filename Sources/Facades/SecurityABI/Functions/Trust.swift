import Foundation
public import Security

@c(SecTrustGetTypeID)
public func secTrustGetTypeID() -> CFTypeID { SecType.trust.identifier }

@c(SecTrustCreateWithCertificates)
public func secTrustCreateWithCertificates(
    _ certificates: UnsafeRawPointer?,
    _ policies: UnsafeRawPointer?,
    _ trust: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: trust) { trust throws(WrongArgument) in
        unsafe SecTrustCreateWithCertificates(
            try Argument.object(certificates),
            try Argument.optionalObject(policies),
            trust
        )
    }
}

@c(SecTrustCopyAnchorCertificates)
public func secTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<UnsafeRawPointer?>?) -> OSStatus {
    unsafe Outcome.status(writingTo: anchors) { anchors throws(WrongArgument) in
        unsafe SecTrustCopyAnchorCertificates(anchors)
    }
}

@c(SecTrustCopyCertificateChain)
public func secTrustCopyCertificateChain(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in SecTrustCopyCertificateChain(try unsafe Argument.trust(trust)) }
}

@c(SecTrustCopyExceptions)
public func secTrustCopyExceptions(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in SecTrustCopyExceptions(try unsafe Argument.trust(trust)) }
}

@c(SecTrustCopyResult)
public func secTrustCopyResult(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in SecTrustCopyResult(try unsafe Argument.trust(trust)) }
}

@available(*, deprecated)
@c(SecTrustCopyProperties)
public func secTrustCopyProperties(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in SecTrustCopyProperties(try unsafe Argument.trust(trust)) }
}

@c(SecTrustCopyPolicies)
public func secTrustCopyPolicies(
    _ trust: UnsafeRawPointer?,
    _ policies: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: policies) { policies throws(WrongArgument) in
        unsafe SecTrustCopyPolicies(try Argument.trust(trust), policies)
    }
}

@c(SecTrustCopyCustomAnchorCertificates)
public func secTrustCopyCustomAnchorCertificates(
    _ trust: UnsafeRawPointer?,
    _ anchors: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: anchors) { anchors throws(WrongArgument) in
        unsafe SecTrustCopyCustomAnchorCertificates(try Argument.trust(trust), anchors)
    }
}

@c(SecTrustGetTrustResult)
public func secTrustGetTrustResult(_ trust: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UInt32>?) -> OSStatus {
    unsafe trustResult(trust, result, SecTrustGetTrustResult)
}

@available(*, deprecated)
@c(SecTrustEvaluate)
public func secTrustEvaluate(_ trust: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UInt32>?) -> OSStatus {
    unsafe trustResult(trust, result, SecTrustEvaluate)
}

private func trustResult(
    _ trust: UnsafeRawPointer?,
    _ result: UnsafeMutablePointer<UInt32>?,
    _ function: (SecTrust, UnsafeMutablePointer<SecTrustResultType>) -> OSStatus
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        let result = try unsafe Argument.memory(result)
        var value = SecTrustResultType.invalid
        let status = unsafe function(try Argument.trust(trust), &value)
        if status == errSecSuccess { unsafe result.pointee = value.rawValue }
        return status
    }
}

@c(SecTrustGetCertificateCount)
public func secTrustGetCertificateCount(_ trust: UnsafeRawPointer?) -> CFIndex {
    Outcome.value(refused: 0) { () throws(WrongArgument) in
        SecTrustGetCertificateCount(try unsafe Argument.trust(trust))
    }
}

/// What it returns belongs to the trust object.
@available(*, deprecated)
@c(SecTrustGetCertificateAtIndex)
public func secTrustGetCertificateAtIndex(_ trust: UnsafeRawPointer?, _ index: CFIndex) -> UnsafeRawPointer? {
    unsafe Outcome.value(refused: nil) { () throws(WrongArgument) in
        let certificate = SecTrustGetCertificateAtIndex(try unsafe Argument.trust(trust), index)
        return unsafe IncomingObject.held(trust)?.lend(OutgoingObject.object(certificate))
    }
}

@c(SecTrustGetVerifyTime)
public func secTrustGetVerifyTime(_ trust: UnsafeRawPointer?) -> CFAbsoluteTime {
    Outcome.value(refused: 0) { () throws(WrongArgument) in SecTrustGetVerifyTime(try unsafe Argument.trust(trust)) }
}

@c(SecTrustEvaluateWithError)
public func secTrustEvaluateWithError(
    _ trust: UnsafeRawPointer?,
    _ place: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Bool {
    do throws(WrongArgument) {
        var failure: CFError?
        let isTrusted = unsafe SecTrustEvaluateWithError(try Argument.trust(trust), &failure)
        if let failure { unsafe Outcome.write(failure, to: place) }
        return isTrusted
    } catch {
        unsafe Outcome.write(Outcome.wrongArgument, to: place)
        return false
    }
}

@c(SecTrustCopyKey)
public func secTrustCopyKey(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in SecTrustCopyKey(try unsafe Argument.trust(trust)) }
}

@available(*, deprecated)
@c(SecTrustCopyPublicKey)
public func secTrustCopyPublicKey(_ trust: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe Outcome.object { () throws(WrongArgument) in SecTrustCopyPublicKey(try unsafe Argument.trust(trust)) }
}
