import CKeychainLinux
package import KeychainModel
import Synchronization

/// An object whose connections no child process may inherit.
package protocol ClosedBeforeForks: AnyObject, Sendable {
    func closeBeforeFork()
}

/// Closes all keychains of the process before a fork, and holds the fork off while one is in use: neither a connection
/// nor a lock that some other thread holds is to be inherited.
package enum ForkGuard {
    private struct Entry {
        weak var keychain: (any ClosedBeforeForks)?
    }

    private static let keychains = Mutex<[Entry]>([])

    private static let preparations = Mutex<[@Sendable () -> Void]>([])

    private static let isPrepared: Void = clinux_fork_gate_prepare { ForkGuard.closeAll() }

    /// Has something done before each fork from now on, before the keychains are closed. It must not wait for a call.
    package static func beforeEachFork(_ preparation: @escaping @Sendable () -> Void) {
        preparations.withLock { $0.append(preparation) }
    }

    /// Runs an operation between forks. Every lock that operations share is taken inside, and every global of ours that
    /// is made at its first use is first used inside: a child would wait for ever for one that was half made.
    ///
    /// - Throws: what the body throws; `notAvailable` in a child whose parent had a call under way for too long when it
    ///   forked.
    package static func holdingOffForks<Value>(
        _ body: () throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let isUsable = clinux_fork_gate_enter()
        defer { clinux_fork_gate_leave() }
        _ = isPrepared
        guard isUsable else {
            throw KeychainError(
                .notAvailable,
                "the process was forked while a call was under way; call exec, or fork from a thread that can wait"
            )
        }
        return try body()
    }

    package static func register(_ keychain: any ClosedBeforeForks) {
        let isUsable = clinux_fork_gate_enter()
        defer { clinux_fork_gate_leave() }
        _ = isPrepared
        guard isUsable else { return }
        keychains.withLock { entries in
            entries.removeAll { $0.keychain == nil }
            entries.append(Entry(keychain: keychain))
        }
    }

    private static func closeAll() {
        // The runtime makes this call's types at its first use, under a lock of its own, which a thread outside of any
        // call of ours may hold at this moment. A child that reads a row would wait for that lock for ever.
        _ = String(validating: CollectionOfOne(UInt8(ascii: "a")), as: UTF8.self)
        for prepare in preparations.withLock({ $0 }) { prepare() }
        for entry in keychains.withLock({ $0 }) {
            entry.keychain?.closeBeforeFork()
        }
    }
}
