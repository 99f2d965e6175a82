/// SHA-256 of a program's whole file.
package struct ProgramDigest: Sendable, Hashable, CustomStringConvertible {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// In hexadecimal.
    package var description: String { hexadecimal(bytes) }
}
