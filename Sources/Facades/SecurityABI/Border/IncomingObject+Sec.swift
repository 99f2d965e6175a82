import Foundation
import Security

extension IncomingObject {
    /// An object of one of the Sec types; nil for NULL and for any other object.
    static func object<Object: NSObject>(_ pointer: UnsafeRawPointer?, as type: ObjectType) -> Object? {
        guard let pointer = unsafe pointer, unsafe typeIdentifier(at: pointer) == type.identifier else { return nil }
        return unsafe ObjectType.held(at: pointer)?.object as? Object
    }

    static func accessControl(_ pointer: UnsafeRawPointer?) -> SecAccessControl? {
        unsafe object(pointer, as: SecType.accessControl)
    }

    static func certificate(_ pointer: UnsafeRawPointer?) -> SecCertificate? {
        unsafe object(pointer, as: SecType.certificate)
    }

    /// A string; nil for NULL, for another object, and for a string that is not valid.
    static func string(_ pointer: UnsafeRawPointer?) -> CFString? {
        unsafe object(pointer) as? NSString
    }

    static func data(_ pointer: UnsafeRawPointer?) -> CFData? {
        unsafe object(pointer) as? NSData
    }
}
