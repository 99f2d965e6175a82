import Glibc
import KeychainSystem

/// Reads lines byte by byte, so that what follows a line is left for the next reader.
package struct LineReader {
    private let input: LentDescriptor

    package init(descriptor: Int32) {
        input = LentDescriptor(descriptor)
    }

    /// - Returns: the line without its end; nil at the end of the input.
    package func next() throws(Failure) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count: Int
            do throws(SystemError) {
                count = try unsafe withUnsafeMutableBytes(of: &byte) { (room) throws(SystemError) in
                    try unsafe input.read(into: room)
                }
            } catch {
                throw Failure("standard input: \(error.reason)")
            }
            if count == 0 { return line.isEmpty ? nil : line }
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
    }
}
