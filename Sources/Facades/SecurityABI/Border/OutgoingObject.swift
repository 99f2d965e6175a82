import CSecurity
import Foundation

/// Makes objects of Core Foundation, each owned by whoever gets it, of what Swift functions return.
///
/// Foundation's own objects could be handed out as they are. But those inside its collections mostly exist only while
/// somebody looks at them, and Core Foundation's functions lend what is in a collection.
enum OutgoingObject {
    /// An object of Core Foundation; nil for nil, and for an object that has no counterpart there.
    static func object(_ object: Any?) -> UnsafeRawPointer? {
        switch object {
        case let string as String: unsafe Self.string(string)
        case let data as Data: unsafe Self.data(data)
        case let number as NSNumber: unsafe Self.number(number)
        case let date as Date: unsafe owned(CFDateCreate(nil, date.timeIntervalSinceReferenceDate))
        case let array as [Any]: unsafe Self.array(array)
        case let dictionary as NSDictionary: unsafe Self.dictionary(dictionary)
        case is NSNull: unsafe owned(kCFNull)
        case let url as URL: unsafe Self.url(url)
        case let uuid as UUID: unsafe Self.uuid(uuid)
        case let error as NSError: unsafe Self.error(error)
        case let object as NSObject: unsafe SecType.instance(for: object)
        default: nil
        }
    }

    static func string(_ string: String) -> UnsafeRawPointer? {
        var string = string
        return string.withUTF8 { text in
            unsafe owned(
                CFStringCreateWithBytes(
                    nil,
                    text.baseAddress,
                    text.count,
                    CFStringBuiltInEncodings.UTF8.rawValue,
                    false
                )
            )
        }
    }

    static func data(_ data: Data) -> UnsafeRawPointer? {
        unsafe data.withUnsafeBytes { bytes in
            unsafe owned(CFDataCreate(nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
        }
    }

    static func error(_ error: NSError) -> UnsafeRawPointer? {
        let domain = unsafe taken(string(error.domain), as: CFString.self)
        let details = unsafe taken(dictionary(error.userInfo as NSDictionary), as: CFDictionary.self)
        return unsafe owned(CFErrorCreate(nil, domain, error.code, details))
    }

    private static func number(_ number: NSNumber) -> UnsafeRawPointer? {
        if CFGetTypeID(number) == CFBooleanGetTypeID() {
            return unsafe owned(number.boolValue ? kCFBooleanTrue : kCFBooleanFalse)
        }
        if CFNumberIsFloatType(unsafe unsafeBitCast(number, to: CFNumber.self)) {
            var real = number.doubleValue
            return unsafe owned(CFNumberCreate(nil, .doubleType, &real))
        }
        var integer = number.int64Value
        return unsafe owned(CFNumberCreate(nil, .sInt64Type, &integer))
    }

    private static func url(_ url: URL) -> UnsafeRawPointer? {
        let text = unsafe taken(string(url.absoluteString), as: CFString.self)
        return unsafe owned(CFURLCreateWithString(nil, text, nil))
    }

    private static func uuid(_ uuid: UUID) -> UnsafeRawPointer? {
        let bytes = unsafe withUnsafeBytes(of: uuid.uuid) { unsafe $0.loadUnaligned(as: CFUUIDBytes.self) }
        return unsafe owned(CFUUIDCreateFromUUIDBytes(nil, bytes))
    }

    // MARK: Collections

    private static func array(_ elements: [Any]) -> UnsafeRawPointer? {
        var objects = unsafe elements.compactMap { unsafe object($0) }.map(Optional.some)
        defer { unsafe release(objects) }
        return unsafe owned(CSecurityCreateArray(&objects, objects.count))
    }

    private static func dictionary(_ entries: NSDictionary) -> UnsafeRawPointer? {
        var keys: [UnsafeRawPointer?] = unsafe []
        var values: [UnsafeRawPointer?] = unsafe []
        defer {
            unsafe release(keys)
            unsafe release(values)
        }
        unsafe keys.reserveCapacity(entries.count)
        unsafe values.reserveCapacity(entries.count)
        unsafe entries.enumerateKeysAndObjects { key, value, _ in
            guard let value = unsafe object(value) else { return }
            unsafe keys.append(object(key))
            unsafe values.append(value)
        }
        return unsafe owned(CSecurityCreateDictionary(&keys, &values, keys.count))
    }

    private static func release(_ objects: [UnsafeRawPointer?]) {
        unsafe objects.forEach { unsafe release($0) }
    }

    // MARK: Ownership

    /// Gives up the reference that a pointer owns.
    static func release(_ object: UnsafeRawPointer?) {
        if let object = unsafe object { unsafe Unmanaged<AnyObject>.fromOpaque(object).release() }
    }

    /// A pointer that owns one reference more to the object.
    private static func owned(_ object: AnyObject?) -> UnsafeRawPointer? {
        unsafe object.map { unsafe UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque()) }
    }

    /// The object of a pointer that owned a reference, which now Swift owns.
    private static func taken<Object: AnyObject>(_ pointer: UnsafeRawPointer?, as type: Object.Type) -> Object? {
        unsafe pointer.map { unsafe Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
    }
}
