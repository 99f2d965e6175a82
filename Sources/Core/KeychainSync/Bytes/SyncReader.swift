/// Reads bytes that came from elsewhere. Each read says how much it takes at most; nothing is read ahead.
package struct SyncReader {
    private let bytes: [UInt8]
    private var position: Int

    /// - Throws: `tooLarge` over the limit.
    package init(_ bytes: [UInt8], atMost limit: Int) throws(SyncRefusal) {
        guard bytes.count <= limit else { throw .tooLarge }
        self.bytes = bytes
        position = 0
    }

    /// How many bytes were read.
    package var offset: Int { position }

    package mutating func take(_ count: Int) throws(SyncRefusal) -> [UInt8] {
        guard count >= 0, count <= bytes.count - position else { throw .truncated }
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    package mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) throws(SyncRefusal)
        -> Number
    {
        let taken = try take(Number.bitWidth / 8)
        return unsafe Number(bigEndian: taken.withUnsafeBytes { unsafe $0.loadUnaligned(as: Number.self) })
    }

    package mutating func byte() throws(SyncRefusal) -> UInt8 { try number(UInt8.self) }

    /// - Throws: `notCanonical` for another byte than 0 and 1.
    package mutating func flag() throws(SyncRefusal) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw .notCanonical }
        return byte == 1
    }

    package mutating func hash() throws(SyncRefusal) -> SyncHash {
        guard let hash = SyncHash(try take(SyncHash.size)) else { throw .truncated }
        return hash
    }

    /// A field with its length in four bytes before it.
    package mutating func field(atMost limit: Int) throws(SyncRefusal) -> [UInt8] {
        let count = try number(UInt32.self)
        guard count <= UInt32(clamping: limit) else { throw .tooLarge }
        return try take(Int(count))
    }

    /// Parts in strictly rising order, with their number in two bytes before them.
    package mutating func rising<Part, Key: Comparable>(
        atMost limit: Int,
        by key: (Part) -> Key,
        _ read: (inout SyncReader) throws(SyncRefusal) -> Part
    ) throws(SyncRefusal) -> [Part] {
        let count = try number(UInt16.self)
        guard count <= UInt16(clamping: limit) else { throw .tooLarge }
        var parts: [Part] = []
        for _ in 0..<count {
            let part = try read(&self)
            if let last = parts.last, key(last) >= key(part) { throw .notCanonical }
            parts.append(part)
        }
        return parts
    }

    /// - Throws: `unknownVersion` for another.
    package mutating func version(_ known: UInt8) throws(SyncRefusal) {
        let version = try byte()
        guard version == known else { throw .unknownVersion(UInt16(version)) }
    }

    /// - Throws: `trailing` where something is left.
    package func end() throws(SyncRefusal) {
        guard position == bytes.count else { throw .trailing }
    }
}
