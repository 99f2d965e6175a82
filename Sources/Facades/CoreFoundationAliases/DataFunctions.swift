public import Foundation

/// Makes data from bytes, which are copied.
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
    guard let bytes = unsafe bytes, length > 0 else { return length < 0 ? nil : NSData() }
    return unsafe NSData(bytes: bytes, length: length)
}

/// How many bytes there are.
public func CFDataGetLength(_ theData: CFData!) -> CFIndex {
    theData.length
}

/// The bytes, valid as long as the data is.
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
    unsafe theData.bytes.assumingMemoryBound(to: UInt8.self)
}
