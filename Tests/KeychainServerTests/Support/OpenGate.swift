import CKeychainLinux
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainServer

/// A gate that lets everybody in without looking, for tests of what is behind it.
struct OpenGate: Gatekeeper {
    /// Called with each connection before it is let in.
    var onAdmission: @Sendable () throws(KeychainError) -> Void = {}
    /// The access groups of the one who is let in.
    var groups: @Sendable () -> [String] = { ["group"] }

    func admit(_ socket: Int32) throws(KeychainError) -> AdmittedPeer {
        try onAdmission()
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        guard clinux_peer_credentials(socket, &pid, &uid, &gid) else {
            throw KeychainError(.authenticationFailed, "nobody")
        }
        let groups = groups()
        return AdmittedPeer(
            uid: uid,
            caller: Caller(name: "test", groups: AccessGroups(groups)),
            identity: ServiceIdentity(name: "test", groups: groups, kind: .unsigned, mode: .system),
            stream: OpenStream(socket: socket)
        )
    }

    private struct OpenStream: PeerStream {
        let socket: Int32

        func receive(
            into buffer: UnsafeMutableRawBufferPointer,
            within deadline: Duration?
        ) throws(KeychainError) -> Int {
            var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let patience = deadline.map { Int32(max(0, $0 / .milliseconds(1)).rounded(.up)) } ?? -1
            guard poll(&state, 1, patience) > 0 else { throw KeychainError(.notAvailable, "nothing came in time") }
            let count = recv(socket, buffer.baseAddress, buffer.count, 0)
            guard count >= 0 else { throw KeychainError(.notAvailable, "the connection is broken") }
            return count
        }

        func confirm() throws(KeychainError) {}

        var isWaiting: Bool {
            var byte: UInt8 = 0
            let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            return count > 0 || count < 0 && errno == EAGAIN
        }
    }
}
