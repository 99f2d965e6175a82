import CKeychainLinux
import Glibc
import KeychainModel

/// Memory of a fixed size that secrets pass through. What is taken out is overwritten, and all of it in the end.
@safe
struct SecretBuffer: ~Copyable {
    private let storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int) {
        unsafe storage = .allocate(byteCount: capacity, alignment: 16)
        unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        if let base = unsafe storage.baseAddress { unsafe clinux_zero(base, storage.count) }
        unsafe storage.deallocate()
    }

    subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count)
        return unsafe storage[index]
    }

    var isFull: Bool { unsafe count == storage.count }

    /// - Returns: false where there is no room.
    mutating func append(_ byte: UInt8) -> Bool {
        guard !isFull else { return false }
        unsafe storage[count] = byte
        count += 1
        return true
    }

    /// Reads what there is room for; as read(2).
    mutating func fill(from descriptor: Int32) -> Int {
        let read = unsafe Glibc.read(descriptor, storage.baseAddress?.advanced(by: count), storage.count - count)
        if read > 0 { count += read }
        return read
    }

    func firstIndex(of byte: UInt8) -> Int? {
        (0..<count).first { self[$0] == byte }
    }

    mutating func removeFirst(_ number: Int) {
        precondition(number >= 0 && number <= count)
        guard let base = unsafe storage.baseAddress else { return }
        unsafe memmove(base, base.advanced(by: number), count - number)
        unsafe clinux_zero(base.advanced(by: count - number), number)
        count -= number
    }

    mutating func removeAll() {
        removeFirst(count)
    }

    var secret: SecretBytes {
        unsafe SecretBytes(count: count) { target in
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        }
    }
}

extension SecretBytes {
    /// Two that the same person has typed: the time that the comparison takes reveals nothing.
    func isSame(as other: SecretBytes) -> Bool {
        unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { unsafe own.elementsEqual($0) }
        }
    }
}
