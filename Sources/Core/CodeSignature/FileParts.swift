import KeychainModel
import KeychainSystem

/// Reads files in parts, so that their size costs time and no memory.
enum FileParts {
    private static let partLength = 1 << 20

    /// - Parameters:
    ///   - range: which bytes.
    ///   - body: is given one part after the other.
    /// - Throws: `authenticationFailed` where the file is shorter.
    static func read(
        _ descriptor: Int32,
        _ range: Range<UInt64>,
        _ body: (UnsafeRawBufferPointer) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let count = range.upperBound - range.lowerBound
        guard count > 0 else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(count, UInt64(partLength))),
            alignment: 4096
        )
        defer { unsafe buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let wanted = Int(min(UInt64(buffer.count), range.upperBound - position))
            let got = try KeychainError.translating("the file cannot be read") {
                try unsafe LentDescriptor(descriptor).read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]),
                    at: position
                )
            }
            guard got > 0 else {
                throw KeychainError(.authenticationFailed, "the program changed while it was read")
            }
            try unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
            position += UInt64(got)
        }
    }
}
