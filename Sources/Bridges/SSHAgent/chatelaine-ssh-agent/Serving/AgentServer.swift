import CKeychainLinux
import Foundation
import Glibc
import SSHAgentProtocol

/// Takes connections of the user's own programs, and forgets keys in time.
struct AgentServer {
    let listener: Int32

    private static let mostConnections = 64

    /// Serves until the process is ended.
    ///
    /// - Throws: where no connection can be taken any more.
    func run() throws -> Never {
        let wake = clinux_event()
        // Before there is a key to be forgotten: the signal would end the process.
        let forget = clinux_signal_event(SIGUSR1)
        guard wake >= 0, forget >= 0 else { throw Failure("the agent cannot wait: \(Self.reason)") }
        let agent = Agent {
            var one: UInt64 = 1
            _ = unsafe write(wake, &one, MemoryLayout.size(ofValue: one))
        }
        let table = ConnectionTable(limit: Self.mostConnections)
        while true {
            let left = agent.forgetEndedKeys()
            var descriptors = [
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
                pollfd(fd: forget, events: Int16(POLLIN), revents: 0),
            ]
            // A millisecond later, so that the key has ended.
            let timeout = left.map { Int32(clamping: $0).addingReportingOverflow(1) }
            let ready = unsafe poll(&descriptors, 3, timeout.map { $0.overflow ? .max : $0.partialValue } ?? -1)
            if ready < 0, errno != EINTR { throw Failure("the agent cannot wait: \(Self.reason)") }
            guard ready > 0 else { continue }
            if descriptors[1].revents != 0 { Self.empty(wake) }
            // As OpenSSH's agent does.
            if descriptors[2].revents != 0 {
                Self.empty(forget)
                agent.forgetAllKeys()
            }
            if descriptors[0].revents != 0 { try accept(agent, table) }
        }
    }

    private static func empty(_ event: Int32) {
        var count: UInt64 = 0
        _ = unsafe read(event, &count, MemoryLayout.size(ofValue: count))
    }

    private func accept(_ agent: Agent, _ table: ConnectionTable) throws {
        let client = clinux_accept(listener)
        guard client >= 0 else {
            switch errno {
            case EAGAIN, EINTR, ECONNABORTED: return
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                // Others have to go first.
                usleep(50_000)
                return
            default: throw Failure("the agent cannot take connections: \(Self.reason)")
            }
        }
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        guard unsafe clinux_peer_credentials(client, &pid, &uid, &gid), uid == getuid() || uid == 0,
            let key = table.admit(client)
        else {
            close(client)
            return
        }
        let connection = ServedConnection(descriptor: client, key: key, table: table, agent: agent)
        Thread.detachNewThread { connection.serve() }
    }

    static var reason: String { unsafe String(cString: strerror(errno)) }
}
