public import CoreFoundationAliases
public import Dispatch
public import Foundation

/// Evaluates a certificate.
///
/// - Parameter error: receives an error in the domain `NSOSStatusErrorDomain` that says why it is not trusted, if it is
///   not; else nil.
/// - Returns: whether the certificate is trusted.
///
/// See [SecTrustEvaluateWithError](https://developer.apple.com/documentation/security/sectrustevaluatewitherror(_:_:)).
@discardableResult
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    let evaluation = trust.evaluate()
    unsafe error?.pointee = evaluation.error
    return evaluation.isTrusted
}

/// Evaluates a certificate on a queue, and tells there what `SecTrustEvaluateWithError` would.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust,
    _ queue: DispatchQueue,
    _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
    let receiver = Receiver(call: result)
    queue.async {
        let evaluation = trust.evaluate()
        receiver.call(trust, evaluation.isTrusted, evaluation.error)
    }
    return errSecSuccess
}

/// Evaluates a certificate.
///
/// - Parameter result: receives the outcome.
/// - Returns: `errSecSuccess`, for every outcome.
@available(*, deprecated, renamed: "SecTrustEvaluateWithError")
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    unsafe result.pointee = trust.evaluate().resultType
    return errSecSuccess
}

/// Evaluates a certificate on a queue (the global one where none is given), and tells the outcome there.
@available(*, deprecated, renamed: "SecTrustEvaluateAsyncWithError")
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust,
    _ queue: DispatchQueue?,
    _ result: @escaping SecTrustCallback
) -> OSStatus {
    let receiver = Receiver(call: result)
    (queue ?? .global()).async { receiver.call(trust, trust.evaluate().resultType) }
    return errSecSuccess
}

/// Carries a caller's function to the queue that it is meant for. `@unchecked`: Apple's type of it is not Sendable, and
/// it is called once.
private struct Receiver<Function>: @unchecked Sendable {
    let call: Function
}
