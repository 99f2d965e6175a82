/// Takes a stream apart into the messages of the agent protocol (RFC 9987, section 3): a length of four bytes, and so many
/// bytes.
package struct FrameReader: Sendable {
    /// In bytes, as OpenSSH's agent has it.
    package static let largestFrame = 256 << 10

    private var buffer: [UInt8] = []

    package init() {}

    /// Whether a frame has begun and is not whole yet.
    package var isInsideFrame: Bool { !buffer.isEmpty }

    /// How many bytes may be read next: as many as complete the frame that has begun, so that memory grows with what
    /// arrives.
    package var wanted: Int {
        guard let size = announced else { return 4 - buffer.count }
        return max(4 + size - buffer.count, 0)
    }

    /// Takes bytes in, at most `wanted` of them.
    ///
    /// - Returns: a whole frame without its length, or nil where it has not arrived yet.
    /// - Throws: for a length of zero or over the limit. Then the stream cannot be read any further.
    package mutating func receive(_ bytes: some Collection<UInt8>) throws(SSHFormatError) -> [UInt8]? {
        buffer += bytes
        guard let size = announced else { return nil }
        guard size > 0, size <= Self.largestFrame else { throw SSHFormatError("a message has an impossible length") }
        guard buffer.count == 4 + size else {
            guard buffer.count < 4 + size else { throw SSHFormatError("more bytes were taken in than wanted") }
            return nil
        }
        defer { buffer = [] }
        return Array(buffer.dropFirst(4))
    }

    private var announced: Int? {
        guard buffer.count >= 4 else { return nil }
        return buffer.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}
