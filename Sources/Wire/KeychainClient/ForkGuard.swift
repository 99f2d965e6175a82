import CLinux
import KeychainModel
import Synchronization

/// Closes all keychains of the process before a fork, and holds the fork off while one is in use: neither a connection
/// nor a lock that some other thread holds is to be inherited.
enum ForkGuard {
    private struct Entry {
        weak var keychain: EmbeddedKeychain?
    }

    private static let keychains = Mutex<[Entry]>([])

    private static let isInstalled: Void = clinux_fork_gate_install { ForkGuard.closeAll() }

    /// Runs an operation between forks. Every lock that operations share is taken inside.
    ///
    /// - Throws: what the body throws; `notAvailable` in a child whose parent had a call under way for too long when it
    ///   forked.
    static func holdingOffForks<Value>(
        _ body: () throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        _ = isInstalled
        let isUsable = clinux_fork_gate_enter()
        defer { clinux_fork_gate_leave() }
        guard isUsable else {
            throw KeychainError(
                .notAvailable,
                "the process was forked while a call was under way; call exec, or fork from a thread that can wait"
            )
        }
        return try body()
    }

    static func register(_ keychain: EmbeddedKeychain) {
        _ = isInstalled
        let isUsable = clinux_fork_gate_enter()
        defer { clinux_fork_gate_leave() }
        guard isUsable else { return }
        keychains.withLock { entries in
            entries.removeAll { $0.keychain == nil }
            entries.append(Entry(keychain: keychain))
        }
    }

    private static func closeAll() {
        for entry in keychains.withLock({ $0 }) {
            entry.keychain?.closeBeforeFork()
        }
    }
}
