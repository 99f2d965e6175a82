import Foundation
public import Security

@c(SecTrustEvaluateAsyncWithError)
public func secTrustEvaluateAsyncWithError(
    _ trust: UnsafeRawPointer?,
    _ queue: UnsafeMutableRawPointer?,
    _ result: UnsafeRawPointer?
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        let queue = try unsafe Argument.memory(queue)
        let block = try unsafe Block(result)
        let kept = try unsafe KeptTrust(trust)
        unsafe QueuedWork.run(on: queue) {
            var error: UnsafeRawPointer?
            let isTrusted = unsafe secTrustEvaluateWithError(kept.pointer, &error)
            unsafe block.call(kept.pointer, result: isTrusted, error: error)
            unsafe OutgoingObject.release(error)
        }
        return errSecSuccess
    }
}

@available(*, deprecated)
@c(SecTrustEvaluateAsync)
public func secTrustEvaluateAsync(
    _ trust: UnsafeRawPointer?,
    _ queue: UnsafeMutableRawPointer?,
    _ result: UnsafeRawPointer?
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        let block = try unsafe Block(result)
        let kept = try unsafe KeptTrust(trust)
        unsafe QueuedWork.run(on: queue) {
            var outcome = SecTrustResultType.otherError.rawValue
            _ = unsafe secTrustEvaluate(kept.pointer, &outcome)
            unsafe block.call(kept.pointer, result: outcome)
        }
        return errSecSuccess
    }
}

/// A trust object of a C program that is kept beyond the call.
@safe
private final class KeptTrust {
    let pointer: UnsafeRawPointer

    init(_ trust: UnsafeRawPointer?) throws(WrongArgument) {
        _ = try unsafe Argument.trust(trust)
        unsafe pointer = try unsafe Argument.memory(trust)
        _ = unsafe Unmanaged<AnyObject>.fromOpaque(pointer).retain()
    }

    deinit {
        unsafe OutgoingObject.release(pointer)
    }
}
