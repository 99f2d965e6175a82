public import Foundation

// Callbacks are taken for the sake of source compatibility: every collection here retains its objects and compares them
// by value, as those made with Apple's `kCFType…CallBacks` do.

/// How a dictionary treats its keys.
public struct CFDictionaryKeyCallBacks: Sendable {
    public var version: CFIndex = 0
    public init() {}
}

/// How a dictionary treats its values.
public struct CFDictionaryValueCallBacks: Sendable {
    public var version: CFIndex = 0
    public init() {}
}

/// How an array treats its elements.
public struct CFArrayCallBacks: Sendable {
    public var version: CFIndex = 0
    public init() {}
}

/// Keys that are objects: retained, and compared by value.
public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()

/// Keys that are strings: copied, and compared by value.
public let kCFCopyStringDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()

/// Values that are objects: retained.
public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()

/// Elements that are objects: retained.
public let kCFTypeArrayCallBacks = CFArrayCallBacks()

/// Makes a dictionary of as many keys and values as are said, given as pointers from `Unmanaged.toOpaque()`.
///
/// Null pointers are left out.
@discardableResult
public func CFDictionaryCreate(
    _ allocator: CFAllocator!,
    _ keys: UnsafeMutablePointer<UnsafeRawPointer?>!,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>!,
    _ numValues: CFIndex,
    _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFDictionary! {
    guard numValues >= 0 else { return nil }
    let dictionary = NSMutableDictionary()
    if let keys = unsafe keys, let values = unsafe values {
        for index in 0..<numValues {
            unsafe CFDictionarySetValue(dictionary, keys[index], values[index])
        }
    }
    return dictionary.copy() as? NSDictionary
}

/// Makes a dictionary that can change.
@discardableResult
public func CFDictionaryCreateMutable(
    _ allocator: CFAllocator!,
    _ capacity: CFIndex,
    _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFMutableDictionary! {
    NSMutableDictionary()
}

/// A dictionary of the same keys and values.
@discardableResult
public func CFDictionaryCreateCopy(_ allocator: CFAllocator!, _ theDict: CFDictionary!) -> CFDictionary! {
    theDict?.copy() as? NSDictionary
}

/// A dictionary of the same keys and values that can change.
@discardableResult
public func CFDictionaryCreateMutableCopy(
    _ allocator: CFAllocator!,
    _ capacity: CFIndex,
    _ theDict: CFDictionary!
) -> CFMutableDictionary! {
    theDict?.mutableCopy() as? NSMutableDictionary
}

/// Whether a dictionary has a value under a key; writes it, for as long as the dictionary lives.
@discardableResult
public func CFDictionaryGetValueIfPresent(
    _ theDict: CFDictionary!,
    _ key: UnsafeRawPointer!,
    _ value: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Bool {
    guard let found = unsafe CFDictionaryGetValue(theDict, key) else { return false }
    unsafe value?.pointee = found
    return true
}

/// Makes an array of as many elements as are said, given as pointers from `Unmanaged.toOpaque()`.
///
/// Null pointers are left out.
@discardableResult
public func CFArrayCreate(
    _ allocator: CFAllocator!,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>!,
    _ numValues: CFIndex,
    _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFArray! {
    guard numValues >= 0 else { return nil }
    let array = NSMutableArray()
    if let values = unsafe values {
        for index in 0..<numValues {
            unsafe CFArrayAppendValue(array, values[index])
        }
    }
    return array.copy() as? NSArray
}

/// Makes an array that can change.
@discardableResult
public func CFArrayCreateMutable(
    _ allocator: CFAllocator!,
    _ capacity: CFIndex,
    _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFMutableArray! {
    NSMutableArray()
}

/// An array of the same elements.
@discardableResult
public func CFArrayCreateCopy(_ allocator: CFAllocator!, _ theArray: CFArray!) -> CFArray! {
    theArray?.copy() as? NSArray
}

/// Puts an element at the end.
public func CFArrayAppendValue(_ theArray: CFMutableArray!, _ value: UnsafeRawPointer!) {
    guard let value = unsafe value else { return }
    theArray.add(unsafe Unmanaged<AnyObject>.fromOpaque(value).takeUnretainedValue())
}
