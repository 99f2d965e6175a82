import CKeychainLinux
import Foundation
import Glibc
import KeychainModel
import KeychainProtocol

/// A client that asks and asks, and reads nothing before it wants to.
final class SilentClient {
    private let socket: Int32

    init(_ path: String) throws {
        socket = clinux_client_socket()
        guard clinux_client_connect(socket, path) == 0 else { throw POSIXError(.ECONNREFUSED) }
        var flags = fcntl(socket, F_GETFL)
        flags &= ~O_NONBLOCK
        _ = fcntl(socket, F_SETFL, flags)
        var decoder = FrameDecoder(limit: Frame.largestResponse)
        guard case .hello(let hello) = try message(&decoder) else { throw POSIXError(.EPROTO) }
        let answer = Authentication(
            proof: AuthenticationProof.proof(for: hello),
            version: AuthenticationProof.versions.upperBound
        )
        let bytes = try FrameCodec.encode(.authenticate(answer))
        guard clinux_client_send_with_descriptor(socket, bytes, bytes.count) == bytes.count,
            case .welcome = try message(&decoder)
        else { throw POSIXError(.EPROTO) }
    }

    deinit {
        close(socket)
    }

    private func message(_ decoder: inout FrameDecoder) throws -> ServerMessage {
        while true {
            if let message = try decoder.next() { return try FrameCodec.decodeServer(message) }
            let count = try decoder.fill { room in max(0, recv(socket, room.baseAddress, room.count, 0)) }
            guard count > 0 else { throw POSIXError(.EPIPE) }
        }
    }

    func ask(_ request: FindRequest, times: Int) throws {
        for id in 1...times {
            let bytes = try FrameCodec.encode(
                .request(id: UInt64(id), .operation(.find(request)))
            )
            // As many as there is room for.
            guard send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == bytes.count else {
                return
            }
        }
    }

    /// How many bytes have come that were not read.
    var waiting: Int {
        var count: Int32 = 0
        return ioctl(socket, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// All that has come, and comes until nothing has for a while.
    func readUntilQuiet() -> [UInt8] {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&state, 1, 500) > 0 else { return bytes }
            let count = recv(socket, &room, room.count, 0)
            guard count > 0 else { return bytes }
            bytes += room.prefix(count)
        }
    }
}
