public import CoreFoundationAliases
public import Foundation

/// Gives the outcome of the last evaluation; `invalid` if nothing was evaluated since the last change.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    unsafe result.pointee = trust.lastEvaluation?.resultType ?? .invalid
    return errSecSuccess
}

/// The certificates from the one that was evaluated to the anchor; where there is no way to one, as far as it goes.
/// Evaluates if that has not been done.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
    array(of: trust.chain)
}

/// How many certificates `SecTrustCopyCertificateChain` gives.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex {
    trust.chain.count
}

/// One of the certificates of `SecTrustCopyCertificateChain`, nil beyond their end.
@available(*, deprecated, renamed: "SecTrustCopyCertificateChain")
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    let chain = trust.chain
    return chain.indices.contains(ix) ? chain[ix] : nil
}

/// What would let a certificate pass that has just failed: the reasons, for this certificate and no other. Evaluates if
/// that has not been done.
///
/// - Returns: data for `SecTrustSetExceptions`, of which nothing else is known.
@discardableResult
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
    let failures = (trust.lastEvaluation ?? trust.evaluate()).failures
    return TrustExceptions(of: trust.settings.certificates, letting: failures).map { $0.data as NSData }
}

/// What the last evaluation found out; nil if nothing was evaluated since the last change.
///
/// - Returns: a dictionary of `kSecTrust…` keys.
@discardableResult
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
    guard let evaluation = trust.lastEvaluation else { return nil }
    var result: [CFString: Any] = [
        kSecTrustEvaluationDate: evaluation.date as NSDate,
        kSecTrustResultValue: NSNumber(value: evaluation.resultType.rawValue),
    ]
    if evaluation.isRevocationChecked {
        result[kSecTrustRevocationChecked] = NSNumber(value: true)
        if let date = evaluation.revocationIsKnownUntil { result[kSecTrustRevocationValidUntilDate] = date as NSDate }
    } else if trust.settings.effectivePolicies.contains(where: { $0.revocationFlags != nil }) {
        // It was asked for, and there is no answer about at least one certificate.
        result[kSecTrustRevocationChecked] = NSNumber(value: false)
    }
    return result as NSDictionary
}

/// What is wrong with a certificate, for people to read: an array of dictionaries, empty if nothing is; nil where there
/// is no outcome.
@available(*, deprecated)
@discardableResult
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? {
    trust.lastEvaluation.map { evaluation in
        array(of: evaluation.failures.map { [kSecPropertyTypeError: $0.message as NSString] as NSDictionary })
    }
}

extension SecTrust {
    /// The chain of the last evaluation, or of one that is made for it.
    fileprivate var chain: [SecCertificate] { (lastEvaluation ?? evaluate()).chain }
}
