import CSecurity
import Foundation

/// Makes Swift objects of what C programs hand over.
///
/// A pointer may be to an object of any type, whatever the function expects; so the type identifier is asked first, and
/// nothing is cast before. Collections need not consist of objects that can be retained or compared (they may have been
/// made without callbacks), and may have NULL in them; so they are taken apart by pointer.
struct IncomingObject: ~Copyable {
    /// Deeper than this, collections are refused: no use of them is as deep, and releasing them again uses the stack.
    private static let greatestDepth = 32

    /// A collection may have itself, or the same one many times, in it. No query has so many elements.
    private static let mostElements = 100_000

    private var elements = 0

    /// A dictionary; nil for NULL, for another type, and for one that is nested too deeply or too large.
    static func dictionary(_ pointer: UnsafeRawPointer?) -> NSDictionary? {
        guard let pointer = unsafe pointer, unsafe typeIdentifier(at: pointer) == CFDictionaryGetTypeID() else {
            return nil
        }
        return unsafe object(pointer) as? NSDictionary
    }

    /// Any object; nil for NULL and for collections that are refused.
    static func object(_ pointer: UnsafeRawPointer?) -> NSObject? {
        guard let pointer = unsafe pointer else { return nil }
        var reader = IncomingObject()
        do throws(Refusal) {
            return try unsafe reader.object(at: pointer, depth: 1)
        } catch {
            return nil
        }
    }

    private struct Refusal: Error {}

    private init() {}

    private mutating func object(at pointer: UnsafeRawPointer?, depth: Int) throws(Refusal) -> NSObject {
        guard let pointer = unsafe pointer else { return NoObject() }
        elements += 1
        guard elements <= Self.mostElements else { throw Refusal() }
        switch unsafe Self.typeIdentifier(at: pointer) {
        case CFStringGetTypeID(): return unsafe Self.string(at: pointer)
        case CFBooleanGetTypeID(): return unsafe NSNumber(value: CFBooleanGetValue(Self.borrowed(pointer)))
        case CFNumberGetTypeID(): return unsafe Self.number(at: pointer)
        case CFDataGetTypeID(): return unsafe Self.data(at: pointer)
        case CFDateGetTypeID():
            return unsafe NSDate(timeIntervalSinceReferenceDate: CFDateGetAbsoluteTime(Self.borrowed(pointer)))
        case CFDictionaryGetTypeID(): return try unsafe dictionary(at: pointer, depth: depth)
        case CFArrayGetTypeID(): return try unsafe array(at: pointer, depth: depth)
        case CFNullGetTypeID(): return NSNull()
        case CFUUIDGetTypeID(): return unsafe Self.uuid(at: pointer)
        case CFCharacterSetGetTypeID(): return unsafe Self.characterSet(at: pointer)
        case let identifier where SecType.identifiers.contains(identifier):
            return unsafe ObjectType.held(at: pointer)?.object ?? NoObject()
        default: return NoObject()
        }
    }

    // MARK: Collections

    private mutating func dictionary(at pointer: UnsafeRawPointer, depth: Int) throws(Refusal) -> NSDictionary {
        let dictionary = unsafe Self.borrowed(pointer) as CFDictionary
        let count = CFDictionaryGetCount(dictionary)
        try check(count: count, depth: depth)
        var keyPointers = unsafe [UnsafeRawPointer?](repeating: nil, count: count)
        var valuePointers = unsafe [UnsafeRawPointer?](repeating: nil, count: count)
        unsafe CFDictionaryGetKeysAndValues(dictionary, &keyPointers, &valuePointers)
        let result = NSMutableDictionary()
        for index in unsafe keyPointers.indices {
            let key = try unsafe object(at: keyPointers[index], depth: depth + 1)
            // Two keys may differ as pointers and say the same: it is not known which value is meant.
            guard result.object(forKey: key) == nil else { throw Refusal() }
            result.setObject(try unsafe object(at: valuePointers[index], depth: depth + 1), forKey: key)
        }
        return result
    }

    private mutating func array(at pointer: UnsafeRawPointer, depth: Int) throws(Refusal) -> NSArray {
        let array = unsafe Self.borrowed(pointer) as CFArray
        let count = CFArrayGetCount(array)
        try check(count: count, depth: depth)
        let result = NSMutableArray()
        for index in 0..<count {
            result.add(try unsafe object(at: CFArrayGetValueAtIndex(array, index), depth: depth + 1))
        }
        return result
    }

    private func check(count: Int, depth: Int) throws(Refusal) {
        guard depth <= Self.greatestDepth, count <= Self.mostElements - elements else { throw Refusal() }
    }

    // MARK: Values

    /// A string; no object for one that is not valid UTF-16, such as half a surrogate pair.
    private static func string(at pointer: UnsafeRawPointer) -> NSObject {
        let string = unsafe borrowed(pointer) as CFString
        let all = CFRange(location: 0, length: CFStringGetLength(string))
        let encoding = CFStringBuiltInEncodings.UTF8.rawValue
        var needed = 0
        guard unsafe CFStringGetBytes(string, all, encoding, 0, false, nil, 0, &needed) == all.length else {
            return NoObject()
        }
        var bytes = [UInt8](repeating: 0, count: needed)
        var written = 0
        guard unsafe CFStringGetBytes(string, all, encoding, 0, false, &bytes, needed, &written) == all.length,
            let text = String(validating: bytes.prefix(written), as: UTF8.self)
        else { return NoObject() }
        return text as NSString
    }

    private static func number(at pointer: UnsafeRawPointer) -> NSObject {
        let number = unsafe borrowed(pointer) as CFNumber
        if CFNumberIsFloatType(number) {
            var real = 0.0
            unsafe CFNumberGetValue(number, .doubleType, &real)
            return NSNumber(value: real)
        }
        var integer: Int64 = 0
        guard unsafe CFNumberGetValue(number, .sInt64Type, &integer) else { return NoObject() }
        return NSNumber(value: integer)
    }

    private static func data(at pointer: UnsafeRawPointer) -> NSData {
        let data = unsafe borrowed(pointer) as CFData
        // It copies: the caller may change mutable data any time.
        return unsafe NSData(bytes: CFDataGetBytePtr(data), length: CFDataGetLength(data))
    }

    private static func uuid(at pointer: UnsafeRawPointer) -> NSUUID {
        let bytes = unsafe CFUUIDGetUUIDBytes(borrowed(pointer))
        return unsafe withUnsafeBytes(of: bytes) { bytes in
            unsafe NSUUID(uuidBytes: Array(bytes))
        }
    }

    private static func characterSet(at pointer: UnsafeRawPointer) -> NSObject {
        let bitmap: CFData? = unsafe CFCharacterSetCreateBitmapRepresentation(nil, borrowed(pointer))
        guard let bitmap else { return NoObject() }
        let bytes = unsafe Data(bytes: CFDataGetBytePtr(bitmap), count: CFDataGetLength(bitmap))
        return NSCharacterSet(bitmapRepresentation: bytes)
    }

    // MARK: What is behind an object

    /// What an object of one of the Sec types holds; nil for any other.
    static func held(_ pointer: UnsafeRawPointer?) -> HeldObject? {
        guard let pointer = unsafe pointer, unsafe SecType.identifiers.contains(typeIdentifier(at: pointer)) else {
            return nil
        }
        return unsafe ObjectType.held(at: pointer)
    }

    /// Whether there is a key at a pointer, also one that a program implements itself.
    static func isKey(_ pointer: UnsafeRawPointer?) -> Bool {
        guard let pointer = unsafe pointer else { return false }
        return unsafe typeIdentifier(at: pointer) == SecType.key.identifier
    }

    static func isData(at pointer: UnsafeRawPointer) -> Bool {
        unsafe typeIdentifier(at: pointer) == CFDataGetTypeID()
    }

    static func isNull(at pointer: UnsafeRawPointer) -> Bool {
        // There is one, whose type Core Foundation does not always tell.
        let null: CFNull? = kCFNull
        return unsafe typeIdentifier(at: pointer) == CFNullGetTypeID()
            || null.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) } == pointer
    }

    static func isTrue(at pointer: UnsafeRawPointer) -> Bool {
        unsafe typeIdentifier(at: pointer) == CFBooleanGetTypeID() && CFBooleanGetValue(borrowed(pointer))
    }

    // MARK: Pointers

    /// The type of the object at a pointer, which must be to an object.
    static func typeIdentifier(at pointer: UnsafeRawPointer) -> CFTypeID {
        CFGetTypeID(unsafe borrowed(pointer) as CFTypeRef)
    }

    /// The object at a pointer, as what its type identifier said it is.
    private static func borrowed<Object: AnyObject>(_ pointer: UnsafeRawPointer) -> Object {
        unsafe Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }
}

/// Stands for what the keychain does not know as an object: NULL, a foreign type, an invalid string.
private final class NoObject: NSObject {}
