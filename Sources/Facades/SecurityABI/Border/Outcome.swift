import Foundation
import Security

/// Where a C program wants an object.
typealias ObjectPlace = UnsafeMutablePointer<UnsafeRawPointer?>

/// Calls functions of the Swift surface and hands over what they say, also where an argument was wrong.
enum Outcome {
    // MARK: A status

    static func status(_ body: () throws(WrongArgument) -> OSStatus) -> OSStatus {
        do throws(WrongArgument) {
            return try body()
        } catch {
            return errSecParam
        }
    }

    /// Of a function that may leave an object. What the program has in the place stays as long as the function leaves
    /// nothing.
    static func status(
        optionally place: ObjectPlace?,
        _ body: (UnsafeMutablePointer<CFTypeRef?>?) throws(WrongArgument) -> OSStatus
    ) -> OSStatus {
        status { () throws(WrongArgument) in
            guard let place = unsafe place else { return try body(nil) }
            let untouched = Untouched()
            var object: CFTypeRef? = untouched
            let status = try unsafe body(&object)
            if object !== untouched { unsafe place.pointee = unsafe OutgoingObject.object(object) }
            return status
        }
    }

    /// Of a function that leaves an object, or nil, on success.
    static func status<Object>(
        writingTo place: ObjectPlace?,
        _ body: (UnsafeMutablePointer<Object?>) throws(WrongArgument) -> OSStatus
    ) -> OSStatus {
        status { () throws(WrongArgument) in
            let place = try unsafe Argument.memory(place)
            var object: Object?
            let status = try unsafe body(&object)
            if status == errSecSuccess { unsafe place.pointee = unsafe OutgoingObject.object(object) }
            return status
        }
    }

    // MARK: An object

    /// NULL where an argument is wrong.
    static func object(_ body: () throws(WrongArgument) -> Any?) -> UnsafeRawPointer? {
        do throws(WrongArgument) {
            return unsafe OutgoingObject.object(try body())
        } catch {
            return nil
        }
    }

    /// NULL and an error where an argument is wrong.
    static func object(
        orError place: ObjectPlace?,
        _ body: (UnsafeMutablePointer<Unmanaged<CFError>?>) throws(WrongArgument) -> Any?
    ) -> UnsafeRawPointer? {
        unsafe value(orError: place, refused: nil) { error throws(WrongArgument) in
            unsafe OutgoingObject.object(try unsafe body(error))
        }
    }

    // MARK: Any value

    static func value<Value>(refused: Value, _ body: () throws(WrongArgument) -> Value) -> Value {
        do throws(WrongArgument) {
            return try body()
        } catch {
            return refused
        }
    }

    static func value<Value>(
        orError place: ObjectPlace?,
        refused: Value,
        _ body: (UnsafeMutablePointer<Unmanaged<CFError>?>) throws(WrongArgument) -> Value
    ) -> Value {
        var failure: Unmanaged<CFError>?
        do throws(WrongArgument) {
            let value = try unsafe body(&failure)
            if let failure = unsafe failure?.takeRetainedValue() { unsafe write(failure, to: place) }
            return value
        } catch {
            unsafe write(wrongArgument, to: place)
            return refused
        }
    }

    static func write(_ error: CFError, to place: ObjectPlace?) {
        if let place = unsafe place { unsafe place.pointee = unsafe OutgoingObject.error(error) }
    }

    static var wrongArgument: CFError {
        NSError(
            domain: NSOSStatusErrorDomain,
            code: Int(errSecParam),
            userInfo: [NSLocalizedDescriptionKey: "an argument is missing, or not of the type that it should be"]
        )
    }

    private final class Untouched {}
}
