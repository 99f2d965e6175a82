public import Foundation

/// Whether two objects are of the same type and have the same value.
///
/// A truth value never equals a number, although `isEqual(_:)` may say so.
@discardableResult
public func CFEqual(_ cf1: CFTypeRef!, _ cf2: CFTypeRef!) -> Bool {
    if cf1 === cf2 { return true }
    guard let first = cf1 as? NSObject, let second = cf2 as? NSObject else { return false }
    if CFGetTypeID(first) == CFGetTypeID(second) { return first.isEqual(second) }
    // Foundation's truth values cast to Bool alone. What has to cast to Int too is a number here, and compared as what it
    // stands for.
    guard let first = first as? NSNumber, let second = second as? NSNumber else { return false }
    return first.isEqual(to: second)
}

/// A hash value that equal objects share.
@discardableResult
public func CFHash(_ cf: CFTypeRef!) -> CFHashCode {
    guard let object = cf else { return 0 }
    guard let object = object as? NSObject else { return CFHashCode(bitPattern: ObjectIdentifier(object).hashValue) }
    return CFHashCode(bitPattern: object.hash)
}

/// A text for debugging that describes an object.
@discardableResult
public func CFCopyDescription(_ cf: CFTypeRef!) -> CFString! {
    guard let object = cf else { return nil }
    return NSString(string: String(describing: object))
}

/// Prints what describes an object, for debugging, on the error stream.
public func CFShow(_ obj: CFTypeRef!) {
    FileHandle.standardError.write(Data(((CFCopyDescription(obj) ?? "(null)") as String + "\n").utf8))
}

/// How many owners an object has, for debugging.
@discardableResult
public func CFGetRetainCount(_ cf: CFTypeRef!) -> CFIndex {
    guard let object = cf else { return 0 }
    return CFIndex(clamping: _getRetainCount(object))
}

/// Whether a truth value is true.
@discardableResult
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool {
    boolean.boolValue
}

/// The current time.
@discardableResult
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
    Date().timeIntervalSinceReferenceDate
}
