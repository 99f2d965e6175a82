/// Reads bytes from the front of a buffer, and nil where there are too few.
@safe
package struct ByteReader {
    private let buffer: UnsafeRawBufferPointer
    private var position = 0

    package init(_ buffer: UnsafeRawBufferPointer) {
        unsafe self.buffer = unsafe buffer
    }

    package var isAtEnd: Bool { unsafe position == buffer.count }

    package mutating func byte() -> UInt8? {
        guard unsafe position < buffer.count else { return nil }
        defer { position += 1 }
        return unsafe buffer[position]
    }

    package mutating func bigEndian(_ count: Int) -> UInt64? {
        guard let slice = unsafe take(count) else { return nil }
        return unsafe slice.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A LEB128 number of at most four bytes, in its shortest form.
    package mutating func length() -> Int? {
        var value = 0
        for index in 0..<4 {
            guard let next = byte() else { return nil }
            value |= Int(next & 0x7F) << (7 * index)
            if next & 0x80 == 0 {
                return next == 0 && index > 0 ? nil : value
            }
        }
        return nil
    }

    package mutating func string(_ count: Int) -> String? {
        guard let slice = unsafe take(count) else { return nil }
        return unsafe String(validating: slice, as: UTF8.self)
    }

    package mutating func bytes(_ count: Int) -> [UInt8]? {
        guard let slice = unsafe take(count) else { return nil }
        return unsafe Array(slice)
    }

    package mutating func secret(_ count: Int) -> SecretBytes? {
        guard let slice = unsafe take(count) else { return nil }
        return unsafe SecretBytes(slice)
    }

    private mutating func take(_ count: Int) -> Slice<UnsafeRawBufferPointer>? {
        guard count >= 0, unsafe count <= buffer.count - position else { return nil }
        defer { position += count }
        return unsafe buffer[position..<(position + count)]
    }
}
