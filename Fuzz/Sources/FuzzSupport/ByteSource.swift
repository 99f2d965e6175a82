/// An input of the fuzzer's as a stream of choices. Where it ends, everything is zero.
public struct ByteSource {
    private var bytes: ArraySlice<UInt8>

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    public var isAtEnd: Bool { bytes.isEmpty }

    public mutating func byte() -> UInt8 {
        bytes.popFirst() ?? 0
    }

    public mutating func flag() -> Bool {
        byte() & 1 == 1
    }

    /// A number of eight bytes.
    public mutating func number() -> UInt64 {
        (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
    }

    public mutating func choice<Element>(of elements: [Element]) -> Element {
        precondition(!elements.isEmpty, "there must be something to choose from")
        return elements[Int(byte()) % elements.count]
    }

    /// At most 255 bytes, after a byte that says how many.
    public mutating func shortBytes() -> [UInt8] {
        take(Int(byte()))
    }

    /// At most 64 KiB, after two bytes that say how many.
    public mutating func longBytes() -> [UInt8] {
        take(Int(byte()) << 8 | Int(byte()))
    }

    /// All that is left.
    public mutating func rest() -> [UInt8] {
        take(bytes.count)
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }
}

extension [UInt8] {
    /// The bytes after their length, as `ByteSource.longBytes` reads them.
    public var withLength: [UInt8] {
        [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)] + self
    }
}
