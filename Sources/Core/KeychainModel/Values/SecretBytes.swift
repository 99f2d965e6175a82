import CKeychainLinux

/// The only holder of secret bytes: it zeroes them when the last reference goes, and prints as `[REDACTED]`.
///
/// It is a class and not a noncopyable struct because the results of one query are a collection of secrets: sharing a
/// reference copies no byte.
@safe
package final class SecretBytes: Sendable, CustomStringConvertible, CustomReflectable {
    // Written only by the initialisers, before anyone else can see the object.
    nonisolated(unsafe) private let storage: UnsafeMutableRawBufferPointer

    /// Makes a secret of `count` bytes, which `initialize` writes.
    package init(count: Int, initializingWith initialize: (UnsafeMutableRawBufferPointer) -> Void) {
        unsafe storage = .allocate(byteCount: count, alignment: 16)
        unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe initialize(storage)
    }

    /// Copies the bytes of a collection; the caller's own copy is the caller's to wipe.
    package convenience init(_ bytes: some Collection<UInt8>) {
        unsafe self.init(count: bytes.count) { target in
            unsafe target.copyBytes(from: bytes)
        }
    }

    deinit {
        if let address = unsafe storage.baseAddress {
            unsafe clinux_zero(address, storage.count)
        }
        unsafe storage.deallocate()
    }

    package var count: Int { unsafe storage.count }

    /// Lends the bytes. They must not be kept beyond the call.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(storage))
    }

    /// Whether all bytes are the same, in a time that says nothing of where they differ.
    package func isEqual(to other: SecretBytes) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<count { difference |= unsafe storage[index] ^ other.storage[index] }
        return difference == 0
    }

    package var description: String { "[REDACTED]" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
