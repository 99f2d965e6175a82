public import Foundation

/// An object of a class that has a Core Foundation type identifier of its own.
///
/// `CFGetTypeID` asks it, so that modules built on this one can introduce types. Identifiers from 256 up are theirs.
package protocol CFTypeIdentified: AnyObject {
    /// The identifier of the class.
    static var cfTypeID: CFTypeID { get }
}

/// Tells a truth value from a number, which Foundation keeps in the same class.
///
/// Foundation makes every number that comes from a `Bool` (a literal, a bridged dictionary, a property list, JSON) an
/// instance of one private subclass. Neither `objCType`, which an 8-bit integer may share, nor `as? Bool`, which
/// accepts the integers 0 and 1, tells them apart.
package func isBoolean(_ number: NSNumber) -> Bool {
    type(of: number) == booleanClass
}

private let booleanClass: NSNumber.Type = type(of: NSNumber(value: true))

/// The identifiers of Foundation's classes. Programs compare them and never store them.
private enum TypeIdentifier {
    static let other: CFTypeID = 1
    static let string: CFTypeID = 7
    static let null: CFTypeID = 16
    static let set: CFTypeID = 17
    static let dictionary: CFTypeID = 18
    static let array: CFTypeID = 19
    static let data: CFTypeID = 20
    static let boolean: CFTypeID = 21
    static let number: CFTypeID = 22
    static let error: CFTypeID = 27
    static let url: CFTypeID = 29
    static let uuid: CFTypeID = 41
    static let date: CFTypeID = 42
}

/// The type identifier of an object.
@discardableResult
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID {
    switch cf {
    case let identified as any CFTypeIdentified: type(of: identified).cfTypeID
    case is NSString: TypeIdentifier.string
    case is NSData: TypeIdentifier.data
    case let number as NSNumber: isBoolean(number) ? TypeIdentifier.boolean : TypeIdentifier.number
    case is NSDate: TypeIdentifier.date
    case is NSDictionary: TypeIdentifier.dictionary
    case is NSArray: TypeIdentifier.array
    case is NSSet: TypeIdentifier.set
    case is NSNull: TypeIdentifier.null
    case is NSError: TypeIdentifier.error
    case is NSURL: TypeIdentifier.url
    case is NSUUID: TypeIdentifier.uuid
    default: TypeIdentifier.other
    }
}

/// The name of a type, for debugging.
@discardableResult
public func CFCopyTypeIDDescription(_ type_id: CFTypeID) -> CFString! {
    switch type_id {
    case TypeIdentifier.string: "CFString"
    case TypeIdentifier.null: "CFNull"
    case TypeIdentifier.set: "CFSet"
    case TypeIdentifier.dictionary: "CFDictionary"
    case TypeIdentifier.array: "CFArray"
    case TypeIdentifier.data: "CFData"
    case TypeIdentifier.boolean: "CFBoolean"
    case TypeIdentifier.number: "CFNumber"
    case TypeIdentifier.error: "CFError"
    case TypeIdentifier.url: "CFURL"
    case TypeIdentifier.uuid: "CFUUID"
    case TypeIdentifier.date: "CFDate"
    default: "CFType"
    }
}

/// The type identifier of strings.
@discardableResult
public func CFStringGetTypeID() -> CFTypeID { TypeIdentifier.string }

/// The type identifier of data.
@discardableResult
public func CFDataGetTypeID() -> CFTypeID { TypeIdentifier.data }

/// The type identifier of truth values, different from that of numbers.
@discardableResult
public func CFBooleanGetTypeID() -> CFTypeID { TypeIdentifier.boolean }

/// The type identifier of numbers.
@discardableResult
public func CFNumberGetTypeID() -> CFTypeID { TypeIdentifier.number }

/// The type identifier of dates.
@discardableResult
public func CFDateGetTypeID() -> CFTypeID { TypeIdentifier.date }

/// The type identifier of dictionaries.
@discardableResult
public func CFDictionaryGetTypeID() -> CFTypeID { TypeIdentifier.dictionary }

/// The type identifier of arrays.
@discardableResult
public func CFArrayGetTypeID() -> CFTypeID { TypeIdentifier.array }

/// The type identifier of sets.
@discardableResult
public func CFSetGetTypeID() -> CFTypeID { TypeIdentifier.set }

/// The type identifier of the null object.
@discardableResult
public func CFNullGetTypeID() -> CFTypeID { TypeIdentifier.null }

/// The type identifier of errors.
@discardableResult
public func CFErrorGetTypeID() -> CFTypeID { TypeIdentifier.error }

/// The type identifier of URLs.
@discardableResult
public func CFURLGetTypeID() -> CFTypeID { TypeIdentifier.url }

/// The type identifier of UUIDs.
@discardableResult
public func CFUUIDGetTypeID() -> CFTypeID { TypeIdentifier.uuid }
