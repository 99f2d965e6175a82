import CKeychainLinux
import Glibc
import KeychainModel
import KeychainProtocol

/// A connection's descriptor, which is closed with it. No use of it waits longer than it is told.
final class ClientSocket: Sendable {
    private let descriptor: Int32

    /// Without waiting, and without a signal where the other end is gone.
    private static let quietly = Int32(truncatingIfNeeded: MSG_NOSIGNAL | MSG_DONTWAIT)

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
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
        let socket = ClientSocket(descriptor: descriptor)
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
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        guard unsafe clinux_peer_credentials(descriptor, &pid, &uid, &gid), address.trusts(uid) else {
            throw KeychainError(
                .notAvailable,
                "the process that listens at \(address.path) may not be the keychain service"
            )
        }
        return socket
    }

    /// Whether the other end is there and has said nothing: a connection between two requests is like that.
    var isIdle: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&state, 1, 0) == 0
    }

    /// Ends the connection for every thread that waits on it. The descriptor stays until none does.
    func shutDown() {
        shutdown(descriptor, Int32(truncatingIfNeeded: SHUT_RDWR))
    }

    /// Sends all bytes.
    ///
    /// - Throws: `notAvailable`; then the other end has not got all of them, and so not the message that they are.
    func send(_ bytes: [UInt8], by deadline: Deadline) throws(KeychainError) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
                return unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, Self.quietly)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                try wait(for: Int16(POLLOUT), by: deadline)
            } else if errno != EINTR {
                throw KeychainError(.notAvailable, "the keychain service has gone away: \(Self.reason())")
            }
        }
    }

    /// Sends few bytes at once, together with the descriptor of a fresh file.
    func sendWithDescriptor(_ bytes: [UInt8]) throws(KeychainError) {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe clinux_client_send_with_descriptor(descriptor, buffer.baseAddress, buffer.count)
        }
        guard count == bytes.count else {
            throw KeychainError(.notAvailable, "the keychain service has gone away: \(Self.reason())")
        }
    }

    /// Waits, for as long as it takes, until something has come that the decoder has not.
    func waitForMore(than decoder: FrameDecoder) throws(KeychainError) {
        guard !decoder.isMidway else { return }
        while true {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&state, 1, -1) > 0 { return }
            guard errno == EINTR else {
                throw KeychainError(.notAvailable, "the keychain service cannot be waited for: \(Self.reason())")
            }
        }
    }

    /// The next message.
    ///
    /// - Throws: `notAvailable` where the connection ends, or the deadline passes, before it is there;
    ///   `invalidParameter` for what is no frame.
    func receive(with decoder: inout FrameDecoder, by deadline: Deadline) throws(KeychainError) -> [UInt8] {
        while true {
            if let message = try decoder.next() { return message }
            try wait(for: Int16(POLLIN), by: deadline)
            var isInterrupted = false
            let count = try unsafe decoder.fill { (room) throws(KeychainError) in
                // Without room for descriptors: the kernel drops those that the other side sends along.
                let count = unsafe recv(descriptor, room.baseAddress, room.count, Self.quietly)
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

    private func wait(for events: Int16, by deadline: Deadline) throws(KeychainError) {
        while true {
            let milliseconds = deadline.milliseconds
            guard milliseconds > 0 else {
                throw KeychainError(.notAvailable, "the keychain service did not answer in time")
            }
            var state = pollfd(fd: descriptor, events: events, revents: 0)
            if unsafe poll(&state, 1, milliseconds) > 0 { return }
        }
    }

    private static func reason() -> String {
        unsafe String(cString: strerror(errno))
    }
}
