import CKeychainLinux
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
        let isStrict = checks.contains(.descriptor)
        try stream.wait(until: deadline)
        // A descriptor with the first byte and with the last, and none between: so it is one message. The kernel puts the
        // bytes of several together where it can, and hands out a message's descriptors with its first byte that is read.
        guard !isStrict || clinux_ends_with_descriptor(stream.socket, Int32(clamping: length)) else {
            throw Self.isNotOneMessage
        }
        var frame: [UInt8] = []
        repeat {
            try stream.wait(until: deadline)
            let isFirst = frame.isEmpty
            var part = [UInt8](repeating: 0, count: isStrict && isFirst ? 1 : length - frame.count)
            var chunk = clinux_chunk()
            let result = unsafe part.withUnsafeMutableBytes { buffer in
                Result { () throws(KeychainError) in
                    try unsafe stream.receive(into: buffer, flags: 0, chunk: &chunk)
                }
            }
            let received = try result.get()
            guard received > 0 else { throw CheckedSocket.refusal("the caller has hung up") }
            guard !isStrict || (chunk.truncated == isFirst && received == part.count) else {
                throw Self.isNotOneMessage
            }
            frame += part[..<received]
        } while frame.count < length
        guard case .authenticate(let answer) = try FrameCodec.decodeClient(Array(frame.dropFirst(Frame.headerSize)))
        else { throw CheckedSocket.refusal("the caller sent something else than its proof") }
        return answer
    }

    private static let isNotOneMessage = CheckedSocket.refusal(
        "the caller's proof did not come in one message with a descriptor"
    )
}
