import Foundation
import Security

/// Where C functions want their answers.
enum OutgoingResult {
    /// Calls a function that may leave an object, and leaves it where the C program wants it. What the program has there
    /// stays as long as the function leaves nothing.
    static func status(
        writingTo result: UnsafeMutablePointer<UnsafeRawPointer?>?,
        _ body: (UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus
    ) -> OSStatus {
        guard let result = unsafe result else { return unsafe body(nil) }
        let untouched = Untouched()
        var object: CFTypeRef? = untouched
        let status = unsafe body(&object)
        if object !== untouched { unsafe result.pointee = unsafe OutgoingObject.object(object) }
        return status
    }

    /// Calls a function that returns an object or leaves an error, and hands both over.
    static func object(
        orError error: UnsafeMutablePointer<UnsafeRawPointer?>?,
        _ body: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> NSObject?
    ) -> UnsafeRawPointer? {
        unsafe value(orError: error) { error in unsafe OutgoingObject.object(body(error)) }
    }

    /// The same for a function that returns another value.
    static func value<Value>(
        orError error: UnsafeMutablePointer<UnsafeRawPointer?>?,
        _ body: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Value
    ) -> Value {
        var failure: Unmanaged<CFError>?
        let value = unsafe body(&failure)
        if let failure = unsafe failure?.takeRetainedValue(), let error = unsafe error {
            unsafe error.pointee = unsafe OutgoingObject.error(failure)
        }
        return value
    }

    /// Leaves the error of a parameter that is not what it should be.
    static func refuse(_ error: UnsafeMutablePointer<UnsafeRawPointer?>?) {
        guard let error = unsafe error else { return }
        unsafe error.pointee = OutgoingObject.error(
            NSError(
                domain: NSOSStatusErrorDomain,
                code: Int(errSecParam),
                userInfo: [NSLocalizedDescriptionKey: "a parameter is missing, or not of the type that it should be"]
            )
        )
    }

    private final class Untouched {}
}
