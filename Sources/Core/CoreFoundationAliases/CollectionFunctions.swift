public import Foundation

// Swift sees these functions of Apple's with raw pointers: callers pass `Unmanaged.passUnretained(key).toOpaque()` and
// read the answer with `Unmanaged<T>.fromOpaque(_:)` or `unsafeBitCast`.

/// How many pairs a dictionary has.
@discardableResult
public func CFDictionaryGetCount(_ theDict: CFDictionary!) -> CFIndex {
    theDict.count
}

/// Whether a dictionary has a value under a key.
@discardableResult
public func CFDictionaryContainsKey(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> Bool {
    guard let key = unsafe object(at: key) else { return false }
    return theDict.object(forKey: key) != nil
}

/// The value under a key, or nil. It lives as long as the dictionary.
@discardableResult
public func CFDictionaryGetValue(_ theDict: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
    guard let dictionary = theDict, let key = unsafe object(at: key) else { return nil }
    return unsafe BorrowedObjects.shared.borrow(key: AnyHashable(key), from: dictionary) {
        dictionary.object(forKey: key).map { $0 as AnyObject }
    }
}

/// Puts a value under a key, in place of the one that is there.
public func CFDictionarySetValue(
    _ theDict: CFMutableDictionary!,
    _ key: UnsafeRawPointer!,
    _ value: UnsafeRawPointer!
) {
    guard let key = unsafe object(at: key), let value = unsafe object(at: value) else { return }
    theDict.setObject(value, forKey: key)
}

/// Puts a value under a key unless there is one.
public func CFDictionaryAddValue(
    _ theDict: CFMutableDictionary!,
    _ key: UnsafeRawPointer!,
    _ value: UnsafeRawPointer!
) {
    guard unsafe !CFDictionaryContainsKey(theDict, key) else { return }
    unsafe CFDictionarySetValue(theDict, key, value)
}

/// Removes the value under a key, if there is one.
public func CFDictionaryRemoveValue(_ theDict: CFMutableDictionary!, _ key: UnsafeRawPointer!) {
    guard let key = unsafe object(at: key) else { return }
    theDict.removeObject(forKey: key)
}

/// How many elements an array has.
@discardableResult
public func CFArrayGetCount(_ theArray: CFArray!) -> CFIndex {
    theArray.count
}

/// The element at a position, which must exist. It lives as long as the array.
@discardableResult
public func CFArrayGetValueAtIndex(_ theArray: CFArray!, _ idx: CFIndex) -> UnsafeRawPointer! {
    guard let array = theArray else { return nil }
    return unsafe BorrowedObjects.shared.borrow(key: AnyHashable(idx), from: array) {
        array.object(at: idx) as AnyObject
    }
}

/// The object that a pointer from `Unmanaged.toOpaque()` points to.
private func object(at pointer: UnsafeRawPointer?) -> NSObject? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue() as? NSObject
}
