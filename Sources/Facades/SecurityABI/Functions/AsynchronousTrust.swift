import Foundation
public import Security

@c(SecTrustEvaluateAsyncWithError)
public func secTrustEvaluateAsyncWithError(
    _ trust: UnsafeRawPointer?,
    _ queue: UnsafeMutableRawPointer?,
    _ result: (@convention(block) (UnsafeRawPointer?, Bool, UnsafeRawPointer?) -> Void)?
) -> OSStatus {
    // Not by a generic function: Swift on Linux has no metadata of blocks.
    guard let result = unsafe result else { return errSecParam }
    return Outcome.status { () throws(WrongArgument) in
        let queue = try unsafe Argument.memory(queue)
        let kept = try unsafe KeptObject(trust, as: Argument.trust)
        unsafe QueuedWork.run(on: queue) {
            var error: UnsafeRawPointer?
            let isTrusted = unsafe secTrustEvaluateWithError(kept.pointer, &error)
            unsafe result(kept.pointer, isTrusted, error)
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
    _ result: (@convention(block) (UnsafeRawPointer?, UInt32) -> Void)?
) -> OSStatus {
    guard let result = unsafe result else { return errSecParam }
    return Outcome.status { () throws(WrongArgument) in
        let kept = try unsafe KeptObject(trust, as: Argument.trust)
        unsafe QueuedWork.run(on: queue) {
            var outcome = SecTrustResultType.otherError.rawValue
            _ = unsafe secTrustEvaluate(kept.pointer, &outcome)
            unsafe result(kept.pointer, outcome)
        }
        return errSecSuccess
    }
}

/// An object of a C program that is kept beyond the call.
@safe
private final class KeptObject {
    let pointer: UnsafeRawPointer

    init(
        _ pointer: UnsafeRawPointer?,
        as type: (UnsafeRawPointer?) throws(WrongArgument) -> some AnyObject
    ) throws(WrongArgument) {
        _ = try unsafe type(pointer)
        unsafe self.pointer = try unsafe Argument.memory(pointer)
        _ = unsafe Unmanaged<AnyObject>.fromOpaque(self.pointer).retain()
    }

    deinit {
        unsafe OutgoingObject.release(pointer)
    }
}
