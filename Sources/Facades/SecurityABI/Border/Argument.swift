import Foundation
import Security

/// An argument that is missing, or no object of the type that it should be.
struct WrongArgument: Error {}

/// What C programs give to functions, each as what the function takes.
///
/// Each throws for NULL unless its name says "optional", and for another object, a string that is not valid, and a
/// collection that is nested too deeply.
enum Argument {
    static func object(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> NSObject {
        guard let object = unsafe IncomingObject.object(pointer) else { throw WrongArgument() }
        return object
    }

    static func optionalObject(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> NSObject? {
        unsafe pointer == nil ? nil : try unsafe object(pointer)
    }

    static func dictionary(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> CFDictionary {
        guard let dictionary = unsafe IncomingObject.dictionary(pointer) else { throw WrongArgument() }
        return dictionary
    }

    static func optionalDictionary(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> CFDictionary? {
        unsafe pointer == nil ? nil : try unsafe dictionary(pointer)
    }

    static func string(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> CFString {
        try unsafe value(pointer)
    }

    static func optionalString(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> CFString? {
        unsafe pointer == nil ? nil : try unsafe string(pointer)
    }

    static func data(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> CFData {
        try unsafe value(pointer)
    }

    static func optionalData(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> CFData? {
        unsafe pointer == nil ? nil : try unsafe data(pointer)
    }

    static func date(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> CFDate {
        try unsafe value(pointer)
    }

    static func array(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> CFArray {
        try unsafe value(pointer)
    }

    static func optionalArray(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> CFArray? {
        unsafe pointer == nil ? nil : try unsafe value(pointer)
    }

    static func certificate(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> SecCertificate {
        try unsafe value(pointer)
    }

    static func key(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> SecKey {
        try unsafe value(pointer)
    }

    static func identity(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> SecIdentity {
        try unsafe value(pointer)
    }

    static func optionalIdentity(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> SecIdentity? {
        unsafe pointer == nil ? nil : try unsafe identity(pointer)
    }

    static func policy(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> SecPolicy {
        try unsafe value(pointer)
    }

    static func trust(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> SecTrust {
        try unsafe value(pointer)
    }

    static func task(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> SecTask {
        try unsafe value(pointer)
    }

    static func accessControl(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> SecAccessControl {
        try unsafe value(pointer)
    }

    /// A keychain file: there are none, so only NULL is one.
    static func keychain(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> SecKeychain? {
        guard unsafe pointer == nil else { throw WrongArgument() }
        return nil
    }

    static func algorithm(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> SecKeyAlgorithm {
        SecKeyAlgorithm(rawValue: try unsafe string(pointer))
    }

    /// Whether these are the name of an algorithm and data, for whoever hands them on as they are.
    static func areUsable(_ algorithm: UnsafeRawPointer?, data: UnsafeRawPointer?) -> Bool {
        unsafe (try? self.algorithm(algorithm)) != nil && (try? self.data(data)) != nil
    }

    /// A place to write to, or memory to read from.
    static func memory<Pointer>(_ pointer: Pointer?) throws(WrongArgument) -> Pointer {
        guard let pointer = pointer else { throw WrongArgument() }
        return pointer
    }

    private static func value<Object: NSObject>(_ pointer: UnsafeRawPointer?) throws(WrongArgument) -> Object {
        guard let object = unsafe IncomingObject.object(pointer) as? Object else { throw WrongArgument() }
        return object
    }
}
