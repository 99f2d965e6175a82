import CKeychainLinux
import Dispatch
import Glibc
package import KeychainModel
package import KeychainProtocol
import KeychainSystem
package import Logging
import Synchronization

/// The keychain service: a listening socket, a gate, and keychains behind it.
package final class KeychainServer: Sendable {
    private let mode: ServiceIdentity.Mode
    private let gatekeeper: any Gatekeeper
    private let keychains: UserKeychains
    private let users: ServiceUsers
    private let limits: ServiceLimits
    private let table: ConnectionTable
    private let memory: MemoryBudgets
    private let counters: UserCounters
    private let version: String
    private let begin = ContinuousClock.now
    private let log: Logger
    private let listener = Mutex<ConnectionListener?>(nil)
    /// Entered for each thread.
    private let threads = DispatchGroup()

    package init(
        mode: ServiceIdentity.Mode,
        version: String,
        gatekeeper: any Gatekeeper,
        keychains: UserKeychains,
        users: ServiceUsers? = nil,
        limits: ServiceLimits = ServiceLimits(),
        counter: ServiceCounter = ServiceCounter(),
        log: Logger
    ) {
        self.mode = mode
        self.version = version
        self.gatekeeper = gatekeeper
        self.keychains = keychains
        self.users = users ?? ServiceUsers(folder: keychains.path, onlyUser: mode == .session ? geteuid() : nil)
        self.limits = limits
        self.log = log
        counters = UserCounters(counter)
        memory = MemoryBudgets(limits)
        table = ConnectionTable(limits: limits)
    }

    /// Begins to take connections.
    ///
    /// - Parameter socket: a listening one, which stays the caller's to close after `stop`.
    package func start(listeningOn socket: Int32) throws(KeychainError) {
        let new = try ConnectionListener(socket: socket, log: log) { [weak self] connection in
            guard let self else {
                close(connection)
                return
            }
            self.take(connection)
        }
        try start { new.run() }
        // Only one that runs can be waited for.
        listener.withLock { $0 = new }
    }

    /// Takes no more connections, answers the requests that have arrived, and closes the keychains.
    package func stop() {
        // Before the table: a connection that is taken after it would be refused.
        listener.withLock { $0.take() }?.stop()
        table.stop()
        let time = Int(limits.stopTime / .milliseconds(1))
        if threads.wait(timeout: .now() + .milliseconds(time)) != .success {
            log.warning(
                "connections were cut off, since their requests take too long",
                metadata: ["count": "\(table.count)"]
            )
            table.abort()
            _ = threads.wait(timeout: .now() + .seconds(2))
        }
        keychains.close()
    }

    // MARK: - Connections

    /// Decides, before it costs a thread, whether a connection may be one.
    private func take(_ socket: Int32) {
        let peer: PeerCredentials
        var counter = counters.all
        let entry: ConnectionTable.Entry
        do throws(KeychainError) {
            guard let found = LentDescriptor(socket).peer else {
                throw KeychainError(.notAvailable, "the kernel does not say which process connects")
            }
            peer = found
            guard mode == .system || peer.uid == geteuid() else {
                throw KeychainError(.noPermission, "this keychain service is another user's")
            }
            let standing = users.standing(of: peer.uid)
            guard standing != .lent else { throw ServiceUsers.isLent }
            counter = counters.user(peer.uid)
            entry = try table.add(socket, uid: peer.uid, isKnown: standing == .known)
        } catch {
            counter.count { $0.refused += 1 }
            refuse(socket, error)
            close(socket)
            return
        }
        counter.count { $0.accepted += 1 }
        do throws(KeychainError) {
            try start { self.serve(socket, entry, pid: peer.pid) }
        } catch {
            table.remove(entry)
            counter.count { $0.refused += 1 }
            refuse(socket, error)
            close(socket)
        }
    }

    private func serve(_ socket: Int32, _ entry: ConnectionTable.Entry, pid: Int32) {
        let counter = counters.user(entry.uid)
        defer {
            // The number of a closed socket may be another's at once: first it leaves the table.
            table.remove(entry)
            close(socket)
        }
        let peer: AdmittedPeer
        do throws(KeychainError) {
            peer = try gatekeeper.admit(socket)
        } catch {
            guard !table.hasEnded(entry) else { return counter.count { $0.dropped += 1 } }
            counter.count { $0.rejected += 1 }
            if error == ServiceUsers.isLent { users.noteLending(of: entry.uid) }
            log.notice(
                "a connection was refused",
                metadata: ["uid": "\(entry.uid)", "pid": "\(pid)", "reason": "\(error.message)"]
            )
            keychains.record(AuditEntry(refusing: error, uid: entry.uid, pid: pid))
            refuse(socket, error)
            return
        }
        table.endHandshake(of: entry)
        do throws(KeychainError) {
            try keychains.withKeychain(of: peer) { (keychain) throws(KeychainError) in
                let connection = Connection(
                    writer: SocketWriter(socket: socket),
                    peer: peer,
                    keychain: keychain,
                    share: entry.share,
                    activity: entry.activity,
                    handler: handler(for: entry.uid, counter),
                    limits: limits
                )
                try connection.run()
            }
        } catch {
            counter.count { $0.dropped += 1 }
            log.info("a connection was ended", metadata: ["uid": "\(entry.uid)", "reason": "\(error.message)"])
            refuse(socket, error)
        }
    }

    private func handler(for uid: UInt32, _ counter: ServiceCounter) -> RequestHandler {
        RequestHandler(memory: memory, limits: limits, counter: counter) { [self] in
            // Of other users, root alone is told.
            let isToldAll = uid == 0 || mode == .session
            return ServiceStatus(
                version: version,
                mode: mode,
                uptime: (ContinuousClock.now - begin) / .seconds(1),
                connections: isToldAll ? table.count : table.count(of: uid),
                counts: isToldAll ? counters.all.counts : counter.counts
            )
        }
    }

    /// Tells a client why its connection ends, if it has room for that.
    private func refuse(_ socket: Int32, _ error: KeychainError) {
        guard let frame = try? FrameCodec.encode(.refusal(error)) else { return }
        SocketWriter(socket: socket).sendLast(frame)
    }

    // MARK: - Threads

    private func start(_ body: @escaping @Sendable () -> Void) throws(KeychainError) {
        threads.enter()
        let threads = threads
        do throws(SystemError) {
            try DetachedThread.start(stackSize: limits.stackSize) {
                body()
                threads.leave()
            }
        } catch {
            threads.leave()
            throw KeychainError(error)
        }
    }
}
