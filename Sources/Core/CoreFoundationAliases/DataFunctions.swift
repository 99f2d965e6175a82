public import Foundation

/// Makes data from bytes, which are copied.
@discardableResult
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
    guard let bytes = unsafe bytes, length > 0 else { return length < 0 ? nil : NSData() }
    return unsafe NSData(bytes: bytes, length: length)
}

/// Makes data of bytes that a program has already. The bytes have to stay as they are for as long as the data is there.
///
/// - Parameter bytesDeallocator: what the memory is given back with: `kCFAllocatorNull` for not at all; nil and the other
///   allocators are all `free`.
@discardableResult
public func CFDataCreateWithBytesNoCopy(
    _ allocator: CFAllocator!,
    _ bytes: UnsafePointer<UInt8>!,
    _ length: CFIndex,
    _ bytesDeallocator: CFAllocator!
) -> CFData! {
    guard let bytes = unsafe bytes, length > 0 else { return length < 0 ? nil : NSData() }
    let memory = unsafe UnsafeMutableRawPointer(mutating: bytes)
    return unsafe NSData(
        bytesNoCopy: memory,
        length: length,
        freeWhenDone: bytesDeallocator !== kCFAllocatorNull
    )
}

/// How many bytes there are.
@discardableResult
public func CFDataGetLength(_ theData: CFData!) -> CFIndex {
    theData.length
}

/// The bytes, valid as long as the data is.
@discardableResult
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
    unsafe theData.bytes.assumingMemoryBound(to: UInt8.self)
}

/// Some of the positions of a collection.
public struct CFRange: Sendable {
    public var location: CFIndex
    public var length: CFIndex

    public init() { (location, length) = (0, 0) }
    public init(location: CFIndex, length: CFIndex) { (self.location, self.length) = (location, length) }
}

/// Some of the positions of a collection.
@discardableResult
public func CFRangeMake(_ loc: CFIndex, _ len: CFIndex) -> CFRange {
    CFRange(location: loc, length: len)
}

/// Copies some of the bytes to memory that has room for them; none if not all of them exist.
public func CFDataGetBytes(_ theData: CFData!, _ range: CFRange, _ buffer: UnsafeMutablePointer<UInt8>!) {
    let end = range.location.addingReportingOverflow(range.length)
    guard let buffer = unsafe buffer, range.location >= 0, range.length >= 0, !end.overflow,
        end.partialValue <= theData.length
    else { return }
    unsafe theData.getBytes(buffer, range: NSRange(location: range.location, length: range.length))
}
