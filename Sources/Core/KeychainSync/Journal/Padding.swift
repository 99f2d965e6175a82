package import KeychainModel

/// Hides how much is in a segment: its contents are as long as the next power of two from 1 KiB to 512 KiB says.
package enum Padding {
    package static let largest = 512 << 10
    private static let smallest = 1 << 10

    /// - Returns: how long contents become, with their length before them; nil where they are too long.
    package static func size(of count: Int) -> Int? {
        var size = smallest
        while size < count + 4 { size *= 2 }
        return size <= largest ? size : nil
    }

    /// The length in four bytes, the contents, zeros.
    package static func padded(_ contents: [UInt8]) throws(SyncRefusal) -> SecretBytes {
        guard let size = size(of: contents.count) else { throw .tooLarge }
        var writer = SyncWriter()
        writer.append(field: contents)
        writer.append([UInt8](repeating: 0, count: size - contents.count - 4))
        return SecretBytes(writer.bytes)
    }

    /// - Throws: `notCanonical` for padding of another length, or with something in it.
    package static func contents(of padded: [UInt8]) throws(SyncRefusal) -> [UInt8] {
        var reader = try SyncReader(padded, atMost: largest)
        let contents = try reader.field(atMost: largest - 4)
        guard size(of: contents.count) == padded.count else { throw .notCanonical }
        guard try reader.take(padded.count - contents.count - 4).allSatisfy({ $0 == 0 }) else { throw .notCanonical }
        return contents
    }
}
