import CKeychainLinux
import Foundation
import Glibc
import KeychainSystem
import SSHAgentProtocol
import Terminal

/// Takes connections of the user's own programs, and forgets keys in time.
struct AgentServer {
    let listener: ListeningSocket

    private static let mostConnections = 64

    /// Serves until the process is ended.
    ///
    /// - Throws: where no connection can be taken any more.
    func run() throws -> Never {
        let wake = try WakeUp()
        // Before there is a key to be forgotten: the signal would end the process.
        let forget = clinux_signal_event(SIGUSR1)
        guard forget >= 0 else { throw Failure("the agent cannot wait: \(Self.reason)") }
        let agent = Agent { wake.signal() }
        let table = AgentConnections(limit: Self.mostConnections)
        while true {
            let left = agent.forgetEndedKeys()
            let ready = try Waiting.wait(
                for: (listener.descriptor, POLLIN),
                (wake.number, POLLIN),
                (forget, POLLIN),
                // A millisecond later, so that the key has ended.
                until: left.map { .now + .milliseconds($0) + .milliseconds(1) } as ContinuousClock.Instant?
            )
            if ready[1] { wake.clear() }
            // As OpenSSH's agent does.
            if ready[2] {
                Self.empty(forget)
                agent.forgetAllKeys()
            }
            if ready[0] { try accept(agent, table) }
        }
    }

    private static func empty(_ event: Int32) {
        var count: UInt64 = 0
        _ = unsafe read(event, &count, MemoryLayout.size(ofValue: count))
    }

    private func accept(_ agent: Agent, _ table: AgentConnections) throws {
        let client = clinux_accept(listener.descriptor)
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
        guard let uid = LentDescriptor(client).peer?.uid, uid == getuid() || uid == 0,
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
