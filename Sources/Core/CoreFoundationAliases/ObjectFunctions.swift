public import Foundation

/// Whether two objects are of the same type and have the same value.
///
/// A truth value equals the numbers 1 and 0, at the top and inside of arrays and dictionaries: what has to cast to `Bool`
/// and to `Int` is a number here.
@discardableResult
public func CFEqual(_ cf1: CFTypeRef!, _ cf2: CFTypeRef!) -> Bool {
    if cf1 === cf2 { return true }
    guard let first = cf1 as? NSObject, let second = cf2 as? NSObject else { return false }
    if CFGetTypeID(first) == CFGetTypeID(second) {
        if first.isEqual(second) { return true }
        switch (first, second) {
        case (let first as NSArray, let second as NSArray): return haveEqualElements(first, second)
        case (let first as NSDictionary, let second as NSDictionary): return haveEqualValues(first, second)
        default: return false
        }
    }
    guard let first = first as? NSNumber, let second = second as? NSNumber else { return false }
    return first.isEqual(to: second)
}

private func haveEqualElements(_ first: NSArray, _ second: NSArray) -> Bool {
    first.count == second.count
        && (0..<first.count).allSatisfy { CFEqual(first[$0] as AnyObject, second[$0] as AnyObject) }
}

private func haveEqualValues(_ first: NSDictionary, _ second: NSDictionary) -> Bool {
    first.count == second.count
        && first.allSatisfy { key, value in
            second.object(forKey: key).map { CFEqual(value as AnyObject, $0 as AnyObject) } ?? false
        }
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
