import CSecurity
import Foundation

/// Converts results of Swift functions to objects of Core Foundation, each owned by the receiver.
///
/// Foundation's own objects could be handed out as they are. But those inside its collections may exist only while
/// somebody looks at them, and Core Foundation's functions lend what is in a collection.
@safe
struct OutgoingObject: ~Copyable {
    /// What was made already of objects that occur more than once, such as the names of attributes in a list of items.
    private var made: [UnsafeRawPointer: UnsafeRawPointer] = unsafe [:]
    /// What exists only because it was looked at, kept until all is made: no other object comes to have its address.
    private var kept: [AnyObject] = []

    /// An object of Core Foundation; nil for nil, and for an object that has no counterpart there.
    static func object(_ object: Any?) -> UnsafeRawPointer? {
        guard let object else { return nil }
        var writer = OutgoingObject()
        return unsafe writer.make(object as AnyObject)
    }

    static func string(_ string: String) -> UnsafeRawPointer? {
        var string = string
        return string.withUTF8 { text in
            let encoding = CFStringBuiltInEncodings.UTF8.rawValue
            return unsafe owned(CFStringCreateWithBytes(nil, text.baseAddress, text.count, encoding, false))
        }
    }

    static func error(_ error: NSError) -> UnsafeRawPointer? {
        unsafe object(error)
    }

    private init() {}

    deinit {
        unsafe made.values.forEach { unsafe Self.release($0) }
    }

    // MARK: By type

    private mutating func make(_ object: AnyObject) -> UnsafeRawPointer? {
        switch CFGetTypeID(object) {
        case CFDictionaryGetTypeID(): unsafe (object as? NSDictionary).flatMap { unsafe dictionary($0) }
        case CFArrayGetTypeID(): unsafe (object as? NSArray).flatMap { unsafe array($0) }
        default: unsafe value(object)
        }
    }

    /// What is no collection.
    private func value(_ object: AnyObject) -> UnsafeRawPointer? {
        switch CFGetTypeID(object) {
        case CFStringGetTypeID(): unsafe (object as? NSString).flatMap { unsafe Self.string(String(describing: $0)) }
        case CFDataGetTypeID(): unsafe (object as? NSData).flatMap { unsafe data($0) }
        case CFBooleanGetTypeID():
            unsafe (object as? NSNumber).flatMap { unsafe Self.owned($0.boolValue ? kCFBooleanTrue : kCFBooleanFalse) }
        case CFNumberGetTypeID(): unsafe (object as? NSNumber).flatMap { unsafe number($0) }
        case CFDateGetTypeID():
            unsafe (object as? NSDate).flatMap {
                unsafe Self.owned(CFDateCreate(nil, $0.timeIntervalSinceReferenceDate))
            }
        case CFNullGetTypeID(): unsafe Self.owned(kCFNull)
        default: unsafe other(object)
        }
    }

    /// Of a class that Foundation gives no type identifier.
    private func other(_ object: AnyObject) -> UnsafeRawPointer? {
        switch object {
        case let error as NSError: unsafe details(of: error)
        case let url as NSURL: unsafe self.url(url)
        case let uuid as NSUUID: unsafe self.uuid(uuid)
        case let object as NSObject: unsafe SecType.instance(for: object)
        default: nil
        }
    }

    private func data(_ data: NSData) -> UnsafeRawPointer? {
        unsafe Self.owned(CFDataCreate(nil, data.bytes.assumingMemoryBound(to: UInt8.self), data.length))
    }

    private func number(_ number: NSNumber) -> UnsafeRawPointer? {
        if CFNumberIsFloatType(unsafe unsafeBitCast(number, to: CFNumber.self)) {
            var real = number.doubleValue
            return unsafe Self.owned(CFNumberCreate(nil, .doubleType, &real))
        }
        var integer = number.int64Value
        return unsafe Self.owned(CFNumberCreate(nil, .sInt64Type, &integer))
    }

    private func url(_ url: NSURL) -> UnsafeRawPointer? {
        let text = unsafe Self.taken(Self.string(url.absoluteString), as: CFString.self)
        return unsafe Self.owned(CFURLCreateWithString(nil, text, nil))
    }

    private func uuid(_ uuid: NSUUID) -> UnsafeRawPointer? {
        var bytes = CFUUIDBytes()
        unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
            if let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress { unsafe uuid.getBytes(start) }
        }
        return unsafe Self.owned(CFUUIDCreateFromUUIDBytes(nil, bytes))
    }

    private func details(of error: NSError) -> UnsafeRawPointer? {
        let domain = unsafe Self.taken(Self.string(error.domain), as: CFString.self)
        let details = unsafe Self.taken(Self.object(error.userInfo as NSDictionary), as: CFDictionary.self)
        return unsafe Self.owned(CFErrorCreate(nil, domain, error.code, details))
    }

    // MARK: Collections

    private mutating func array(_ elements: NSArray) -> UnsafeRawPointer? {
        var objects: [UnsafeRawPointer?] = unsafe []
        defer { unsafe objects.forEach { unsafe Self.release($0) } }
        unsafe objects.reserveCapacity(elements.count)
        if type(of: elements) == NSArray.self || type(of: elements) == NSMutableArray.self {
            let stored = unsafe unsafeBitCast(elements, to: CFArray.self)
            for index in 0..<elements.count {
                if let object = unsafe make(stored: CFArrayGetValueAtIndex(stored, index)) {
                    unsafe objects.append(object)
                }
            }
        } else {
            for element in elements {
                let element = element as AnyObject
                kept.append(element)
                if let object = unsafe make(element) { unsafe objects.append(object) }
            }
        }
        return unsafe Self.owned(CSecurityCreateArray(&objects, objects.count))
    }

    private mutating func dictionary(_ entries: NSDictionary) -> UnsafeRawPointer? {
        var keys: [UnsafeRawPointer?] = unsafe []
        var values: [UnsafeRawPointer?] = unsafe []
        defer {
            unsafe keys.forEach { unsafe Self.release($0) }
            unsafe values.forEach { unsafe Self.release($0) }
        }
        if type(of: entries) == NSDictionary.self || type(of: entries) == NSMutableDictionary.self {
            var storedKeys = unsafe [UnsafeRawPointer?](repeating: nil, count: entries.count)
            var storedValues = unsafe storedKeys
            let stored = unsafe unsafeBitCast(entries, to: CFDictionary.self)
            unsafe CFDictionaryGetKeysAndValues(stored, &storedKeys, &storedValues)
            for index in unsafe storedKeys.indices {
                guard let value = unsafe make(stored: storedValues[index]) else { continue }
                unsafe keys.append(make(stored: storedKeys[index]))
                unsafe values.append(value)
            }
        } else {
            for (key, value) in entries {
                let pair = (key: key as AnyObject, value: value as AnyObject)
                kept += [pair.key, pair.value]
                guard let value = unsafe make(pair.value) else { continue }
                unsafe keys.append(make(pair.key))
                unsafe values.append(value)
            }
        }
        return unsafe Self.owned(CSecurityCreateDictionary(&keys, &values, keys.count))
    }

    /// What a collection of Foundation's own classes has in it, by pointer: through Foundation, each would become a Swift
    /// value, and an object again.
    private mutating func make(stored pointer: UnsafeRawPointer?) -> UnsafeRawPointer? {
        guard let pointer = unsafe pointer else { return nil }
        if let earlier = unsafe made[pointer] {
            return unsafe UnsafeRawPointer(Unmanaged<AnyObject>.fromOpaque(earlier).retain().toOpaque())
        }
        let object = unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
        let type = CFGetTypeID(object)
        if type == CFDictionaryGetTypeID() || type == CFArrayGetTypeID() { return unsafe make(object) }
        guard let new = unsafe value(object) else { return nil }
        unsafe made[pointer] = unsafe UnsafeRawPointer(Unmanaged<AnyObject>.fromOpaque(new).retain().toOpaque())
        return unsafe new
    }

    // MARK: Ownership

    /// Gives up the reference that a pointer owns.
    static func release(_ object: UnsafeRawPointer?) {
        if let object = unsafe object { unsafe Unmanaged<AnyObject>.fromOpaque(object).release() }
    }

    /// The same pointer, with one reference more, which the caller owns.
    static func retained(_ object: UnsafeRawPointer) -> UnsafeRawPointer {
        unsafe UnsafeRawPointer(Unmanaged<AnyObject>.fromOpaque(object).retain().toOpaque())
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
