package import KeychainModel
import Synchronization

/// The keychain that the four calls of this process go to.
package enum CurrentKeychain {
    /// Replaces the process's keychain for the code that runs inside `$override.withValue`.
    @TaskLocal package static var override: (any KeychainService)?

    private static let keychains = Mutex<[KeychainLocation: EmbeddedKeychain]>([:])
    private static let failures = FailureReport(log: KeychainLog.keychain)
    private static let latest = Mutex<(variable: String?, keychain: EmbeddedKeychain)?>(nil)

    /// The keychain that the environment names at this moment; the same one as before if it still names that.
    package static func service() throws(KeychainError) -> any KeychainService {
        if let override { return override }
        // The locks here are held for an instant, but a child that was forked in that instant would wait for ever.
        return try ForkGuard.holdingOffForks(keychain)
    }

    /// The same keychain, for those who look after it as a whole.
    package static func maintenance() throws(KeychainError) -> any KeychainMaintenance {
        try ForkGuard.holdingOffForks(keychain)
    }

    private static func keychain() throws(KeychainError) -> EmbeddedKeychain {
        let variable = Environment[KeychainLocation.variable]
        if let latest = latest.withLock({ $0 }), latest.variable == variable { return latest.keychain }
        do throws(KeychainError) {
            let keychain = try keychain(at: KeychainLocation.current(), for: ProcessIdentity.current())
            latest.withLock { $0 = (variable, keychain) }
            return keychain
        } catch {
            failures.reportOnce(error)
            throw error
        }
    }

    private static func keychain(at location: KeychainLocation, for caller: Caller) -> EmbeddedKeychain {
        keychains.withLock { keychains in
            if let keychain = keychains[location] { return keychain }
            let keychain = EmbeddedKeychain(location, caller: caller)
            keychains[location] = keychain
            return keychain
        }
    }
}
