import CKeychainLinux
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainSystem

/// A connection's descriptor, which is closed with it. No use of it waits longer than it is told.
final class ClientSocket: OpenDescriptor {
    let number: Int32

    /// Without waiting, and without a signal where the other end is gone.
    private static let quietly = Int32(truncatingIfNeeded: MSG_NOSIGNAL | MSG_DONTWAIT)

    private init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Connects, and makes sure of who listens.
    ///
    /// - Parameter name: a name for the socket, among the abstract ones.
    /// - Throws: `notAvailable` where no process listens, where the queue stays full, and for a listener who may not be
    ///   the service.
    static func connect(
        to address: ServiceAddress,
        as name: String?,
        by deadline: Deadline
    ) throws(KeychainError) -> ClientSocket {
        let descriptor = clinux_client_socket()
        guard descriptor >= 0 else {
            throw KeychainError(.notAvailable, "no socket for the keychain service: \(reason())")
        }
        let socket = ClientSocket(owning: descriptor)
        if let name {
            guard unsafe clinux_client_name(descriptor, name) == 0 else {
                throw KeychainError(.notAvailable, "the socket cannot be named: \(reason())")
            }
        }
        while unsafe clinux_client_connect(descriptor, address.path) != 0 {
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // The queue of a UNIX socket that is full cannot be waited for.
                guard !deadline.hasPassed else {
                    throw KeychainError(.notAvailable, "the keychain service at \(address.path) takes no connection")
                }
                usleep(5000)
            default:
                throw KeychainError(.notAvailable, "no keychain service answers at \(address.path): \(reason())")
            }
        }
        guard let peer = socket.peer, address.trusts(peer.uid) else {
            throw KeychainError(
                .notAvailable,
                "the process that listens at \(address.path) may not be the keychain service"
            )
        }
        return socket
    }

    /// Whether the other end is there and has said nothing: a connection between two requests is like that.
    var isIdle: Bool {
        (try? wait(for: POLLIN, until: SuspendingClock.now)) == false
    }

    /// Ends the connection for every thread that waits on it. The descriptor stays until none does.
    func shutDown() {
        shutdown(number, Int32(truncatingIfNeeded: SHUT_RDWR))
    }

    /// Sends all bytes.
    ///
    /// - Throws: `notAvailable`; then the other end has not got all of them, and so not the message that they are.
    func send(_ bytes: [UInt8], by deadline: Deadline) throws(KeychainError) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
                return unsafe Glibc.send(number, rest.baseAddress, rest.count, Self.quietly)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                try expect(POLLOUT, by: deadline)
            } else if errno != EINTR {
                throw KeychainError(.notAvailable, "the keychain service has gone away: \(Self.reason())")
            }
        }
    }

    /// Sends few bytes at once, together with the descriptor of a fresh file.
    func sendWithDescriptor(_ bytes: [UInt8]) throws(KeychainError) {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe clinux_client_send_with_descriptor(number, buffer.baseAddress, buffer.count)
        }
        guard count == bytes.count else {
            throw KeychainError(.notAvailable, "the keychain service has gone away: \(Self.reason())")
        }
    }

    /// Waits, for as long as it takes, until something has come that the decoder has not.
    func waitForMore(than decoder: FrameDecoder) throws(KeychainError) {
        guard !decoder.isMidway else { return }
        _ = try KeychainError.translating { try wait(for: POLLIN) }
    }

    /// The next message.
    ///
    /// - Throws: `notAvailable` where the connection ends, or the deadline passes, before it is there;
    ///   `invalidParameter` for what is no frame.
    func receive(with decoder: inout FrameDecoder, by deadline: Deadline) throws(KeychainError) -> [UInt8] {
        while true {
            if let message = try decoder.next() { return message }
            try expect(POLLIN, by: deadline)
            var isInterrupted = false
            let count = try unsafe decoder.fill { (room) throws(KeychainError) in
                // Without room for descriptors: the kernel drops those that the other side sends along.
                let count = unsafe recv(number, room.baseAddress, room.count, Self.quietly)
                if count < 0 {
                    guard errno == EINTR || errno == EAGAIN else {
                        throw KeychainError(.notAvailable, "the keychain service has gone away: \(Self.reason())")
                    }
                    isInterrupted = true
                }
                return max(count, 0)
            }
            guard count > 0 || isInterrupted else {
                throw KeychainError(.notAvailable, "the keychain service has ended the connection")
            }
        }
    }

    private func expect(_ events: Int32, by deadline: Deadline) throws(KeychainError) {
        let isReady = try KeychainError.translating { try wait(for: events, until: deadline.end) }
        guard isReady else { throw KeychainError(.notAvailable, "the keychain service did not answer in time") }
    }

    private static func reason() -> String {
        unsafe String(cString: strerror(errno))
    }
}
