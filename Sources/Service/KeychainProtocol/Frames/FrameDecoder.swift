package import KeychainModel

/// Takes a stream of bytes apart into messages. It reads nothing itself: the socket's reader passes the bytes on.
///
/// It holds no more than what has come, up to one frame of the largest size and what follows it in the same chunk,
/// whatever a header announces.
package struct FrameDecoder: Sendable {
    /// The largest message that is taken, in bytes. It may be raised once a peer is admitted.
    package var limit: Int

    private var buffer: [UInt8] = []
    /// The bytes of `buffer` that have come; the others are room.
    private var filled = 0

    /// Room for a chunk of a connection where no large frame is under way.
    private static let leastRoom = 8 << 10

    package init(limit: Int) {
        self.limit = limit
    }

    /// Whether a frame has begun and not ended.
    package var isMidway: Bool { filled > 0 }

    /// The length that the frame under way announces, once that has come.
    package var length: Int? {
        guard filled >= Frame.headerSize else { return nil }
        return try? Frame.length(buffer.prefix(Frame.headerSize), limit: limit)
    }

    /// Lends room for the next bytes of the stream.
    ///
    /// - Parameter read: writes to the start of the room, and returns how many bytes it wrote.
    /// - Returns: the same number.
    package mutating func fill(
        _ read: (UnsafeMutableRawBufferPointer) throws(KeychainError) -> Int
    ) throws(KeychainError) -> Int {
        makeRoom()
        let start = filled
        let result = unsafe buffer.withUnsafeMutableBytes { room -> Result<Int, KeychainError> in
            Result { () throws(KeychainError) in
                try unsafe read(UnsafeMutableRawBufferPointer(rebasing: room[start...]))
            }
        }
        let count = min(max(try result.get(), 0), buffer.count - start)
        filled = start + count
        return count
    }

    /// Takes bytes of the stream that were read in another way.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        buffer.removeSubrange(filled...)
        buffer.append(contentsOf: bytes)
        filled = buffer.count
    }

    /// The next whole message, if it is there.
    ///
    /// - Throws: `invalidParameter` for a length that no message has; the stream has no sense from there on.
    package mutating func next() throws(KeychainError) -> [UInt8]? {
        guard filled >= Frame.headerSize else { return nil }
        let length = try Frame.length(buffer.prefix(Frame.headerSize), limit: limit)
        let end = Frame.headerSize + length
        guard filled >= end else { return nil }
        let rest = filled - end
        if rest == 0, buffer.count > 4 * Self.leastRoom {
            // Handed out as it is: of a large frame there is no room for two.
            var message: [UInt8] = []
            swap(&message, &buffer)
            filled = 0
            message.removeSubrange(end...)
            message.removeFirst(Frame.headerSize)
            return message
        }
        let message = Array(buffer[Frame.headerSize..<end])
        if buffer.count > 4 * Self.leastRoom, rest <= Self.leastRoom {
            // A large frame's memory is not kept for small ones.
            buffer = Array(buffer[end..<filled])
        } else {
            buffer.removeSubrange(..<end)
        }
        filled = rest
        return message
    }

    /// Doubles with what has come, so that a header alone takes no memory.
    private mutating func makeRoom() {
        guard buffer.count - filled < Self.leastRoom / 2 else { return }
        // Not beyond the frame's end, when it is known.
        let end = length.map { Frame.headerSize + $0 + Self.leastRoom } ?? .max
        var larger = [UInt8](repeating: 0, count: max(filled + Self.leastRoom, min(filled * 2, end)))
        unsafe larger.withUnsafeMutableBytes { target in
            unsafe buffer.withUnsafeBytes {
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<filled]))
            }
        }
        buffer = larger
    }
}
