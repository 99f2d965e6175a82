import Glibc

/// Reads lines byte by byte, so that what follows a line is left for the next reader.
package struct LineReader {
    private let descriptor: Int32

    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Returns: the line without its end; nil at the end of the input.
    package func next() throws(SecretInputError) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            if count == 0 { return line.isEmpty ? nil : line }
            if count < 0 {
                if errno == EINTR { continue }
                throw SecretInputError("standard input: \(unsafe String(cString: strerror(errno)))")
            }
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
    }
}
