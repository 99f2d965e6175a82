import CLinux
import Glibc
import KeychainModel
import KeychainProtocol

/// A client's proof, which is exactly one message of sendmsg(2) that carries a descriptor.
///
/// write(2) cannot carry one. So a program that copies bytes to a connection that it inherited as its standard output, or
/// an attacker's connection that was put into a program, does not answer in the caller's name.
enum AuthenticationMessage {
    static func receive(
        from stream: CheckedSocket,
        checks: PeerChecks,
        by deadline: ContinuousClock.Instant
    ) throws(KeychainError) -> Authentication {
        // All proofs are of one length. Nothing is taken of what may stand behind it.
        let length = try FrameCodec.encode(
            .authenticate(Authentication(proof: Array(repeating: 1, count: 32), version: 1))
        ).count
        if checks.contains(.descriptor) { try requireDescriptor(on: stream) }

        var frame: [UInt8] = []
        repeat {
            try stream.wait(until: deadline)
            var rest = [UInt8](repeating: 0, count: length - frame.count)
            var chunk = clinux_chunk()
            let result = unsafe rest.withUnsafeMutableBytes { buffer in
                Result { () throws(KeychainError) in
                    try unsafe stream.receive(into: buffer, flags: 0, chunk: &chunk)
                }
            }
            let count = chunk.descriptor_count
            unsafe clinux_chunk_close(&chunk)
            let received = try result.get()
            guard received > 0 else { throw CheckedSocket.refusal("the caller has hung up") }
            frame += rest[..<received]
            // A chunk ends behind a message with a descriptor. The first message has one, so this is all of it.
            guard !checks.contains(.descriptor) || (count == 1 && received == length) else {
                throw CheckedSocket.refusal("the caller's proof did not come in one message")
            }
        } while frame.count < length
        guard case .authenticate(let answer) = try FrameCodec.decodeClient(Array(frame.dropFirst(Frame.headerSize)))
        else { throw CheckedSocket.refusal("the caller sent something else than its proof") }
        return answer
    }

    /// The first byte's message has one: bytes without one could otherwise stand before it in the same chunk.
    private static func requireDescriptor(on stream: CheckedSocket) throws(KeychainError) {
        var byte: [UInt8] = [0]
        var chunk = clinux_chunk()
        let result = unsafe byte.withUnsafeMutableBytes { buffer in
            Result { () throws(KeychainError) in
                try unsafe stream.receive(into: buffer, flags: Int32(MSG_PEEK), chunk: &chunk)
            }
        }
        let count = chunk.descriptor_count
        unsafe clinux_chunk_close(&chunk)
        guard try result.get() > 0, count == 1 else {
            throw CheckedSocket.refusal("the caller's proof came without a descriptor")
        }
    }
}
