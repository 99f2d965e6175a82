import CKeychainLinux
import Glibc

/// One end of a connection of packets, closed with the last reference.
package final class PacketSocket: OpenDescriptor {
    package let number: Int32

    /// - Parameter number: of the kind SOCK_SEQPACKET; it is this object's from now on.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    package static func pair() throws(SystemError) -> (PacketSocket, PacketSocket) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw SystemError("no socket can be made")
        }
        return (PacketSocket(owning: ends[0]), PacketSocket(owning: ends[1]))
    }

    /// - Parameter patience: how long it waits where too many are waiting already.
    /// - Throws: where no process listens, or none accepts the connection in time.
    package init(connectingTo path: String, within patience: Duration) throws(SystemError) {
        number = clinux_packet_socket()
        guard number >= 0 else { throw SystemError("no socket can be made") }
        limit(receiving: patience, sending: patience)
        guard unsafe clinux_connect_path(number, path) == 0 else {
            throw SystemError("\(path) cannot be reached")
        }
    }

    /// How long `receive` waits, and `send` for room; zero for without an end.
    package func limit(receiving: Duration, sending: Duration) {
        limit(SO_RCVTIMEO, receiving)
        limit(SO_SNDTIMEO, sending)
    }

    private func limit(_ option: Int32, _ time: Duration) {
        let (seconds, attoseconds) = time.components
        var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        _ = unsafe setsockopt(number, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    package enum Outcome {
        case done
        /// There is no room, or nothing has come, in time.
        case late
        /// The other end is gone.
        case gone
    }

    /// Sends one message, with a descriptor where there is one.
    package func send(_ message: [UInt8], passing descriptor: Int32? = nil, waits: Bool = true) -> Outcome {
        let descriptors = descriptor.map { [$0] } ?? []
        while true {
            let sent = unsafe clinux_send(
                number,
                message,
                message.count,
                descriptors,
                Int32(descriptors.count),
                waits ? 0 : Int32(MSG_DONTWAIT)
            )
            if sent >= 0 { return .done }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .late : .gone
        }
    }

    /// Receives one message, of which nothing is left in the buffer that is not returned.
    ///
    /// - Parameters:
    ///   - buffer: with room for the largest message.
    ///   - takesDescriptor: whether the other end may pass one. Else none becomes this process's.
    /// - Returns: how many bytes, and a descriptor where exactly one came.
    package func receive(
        into buffer: inout [UInt8],
        waits: Bool = true,
        takesDescriptor: Bool = false
    ) -> (Outcome, count: Int, PacketSocket?) {
        var chunk = clinux_chunk()
        var count = 0
        let flags = waits ? 0 : Int32(MSG_DONTWAIT)
        repeat {
            count =
                if takesDescriptor {
                    unsafe clinux_receive(number, &buffer, buffer.count, flags, &chunk)
                } else {
                    unsafe clinux_receive_without_descriptors(number, &buffer, buffer.count, flags, false, &chunk)
                }
        } while count < 0 && errno == EINTR
        let reason = errno
        defer { unsafe clinux_chunk_close(&chunk) }
        guard count > 0 else { return (count < 0 && reason == EAGAIN ? .late : .gone, 0, nil) }
        let descriptor = unsafe chunk.descriptor_count == 1 ? clinux_chunk_take(&chunk, 0) : -1
        return (.done, count, descriptor >= 0 ? PacketSocket(owning: descriptor) : nil)
    }
}
