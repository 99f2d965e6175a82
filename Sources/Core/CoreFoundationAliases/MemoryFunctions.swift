import Foundation

// Two functions of Darwin's C library, which glibc lacks and which code beside Security calls for its secrets.

/// The type of an error number, as functions return it.
public typealias errno_t = Int32

/// The type of a size that is checked.
public typealias rsize_t = Int

/// Whether two regions of memory have the same bytes. The time it takes depends on their length alone.
///
/// Every byte is looked at and nothing branches on one; Swift does not promise that compilers keep it so.
///
/// - Parameter len: bytes.
/// - Returns: 0 if the regions are equal, else another number.
@inline(never)
@discardableResult
public func timingsafe_bcmp(_ b1: UnsafeRawPointer!, _ b2: UnsafeRawPointer!, _ len: Int) -> Int32 {
    let first = unsafe UnsafeRawBufferPointer(start: b1, count: len)
    let second = unsafe UnsafeRawBufferPointer(start: b2, count: len)
    var difference: UInt8 = 0
    for index in 0..<len { unsafe difference |= first[index] ^ second[index] }
    return Int32(difference)
}

/// Fills memory with a byte, also if nothing reads it afterwards (ISO C 2011, K.3.7.4.1).
///
/// - Parameters:
///   - smax: the bytes at `s`.
///   - c: the byte; only its lowest eight bits count.
///   - n: how many bytes to fill.
/// - Returns: 0; `EINVAL` without memory; `E2BIG` for a negative size; `EOVERFLOW` for more than `smax`; then all `smax`
///   are filled.
@inline(never)
@discardableResult
public func memset_s(_ s: UnsafeMutableRawPointer!, _ smax: rsize_t, _ c: Int32, _ n: rsize_t) -> errno_t {
    guard let start = unsafe s else { return EINVAL }
    guard smax >= 0 else { return E2BIG }
    // The caller's compiler sees a call that it does not know, and cannot leave it out.
    unsafe memset(start, c, n < 0 ? smax : min(n, smax))
    if n < 0 { return E2BIG }
    return n > smax ? EOVERFLOW : 0
}
