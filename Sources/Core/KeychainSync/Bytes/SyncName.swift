/// Sixteen bytes that name a journal or a ceremony.
package struct SyncName: Hashable, Comparable, Sendable {
    package static let size = 16

    private let first: UInt64
    private let second: UInt64

    /// - Returns: nil for another length.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        first = Self.word(bytes.prefix(8))
        second = Self.word(bytes.suffix(8))
    }

    init(from reader: inout SyncReader) throws(SyncRefusal) {
        first = try reader.number(UInt64.self)
        second = try reader.number(UInt64.self)
    }

    /// The beginning of a digest.
    init(prefixOf hash: SyncHash) {
        let bytes = hash.bytes
        first = Self.word(bytes[..<8])
        second = Self.word(bytes[8..<16])
    }

    /// From a source of random numbers.
    package init(using source: inout some RandomNumberGenerator) {
        first = source.next()
        second = source.next()
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    package var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: (first.bigEndian, second.bigEndian)) { unsafe Array($0) }
    }

    package static func < (one: SyncName, other: SyncName) -> Bool {
        (one.first, one.second) < (other.first, other.second)
    }
}

extension SyncName {
    /// Two lower-case hexadecimal digits a byte, as names of blobs have them.
    package var text: String { bytes.hexadecimal }
}
