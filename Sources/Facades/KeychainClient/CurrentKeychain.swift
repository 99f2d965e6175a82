package import KeychainModel
import Synchronization

/// The keychain that the four calls of this process go to.
package enum CurrentKeychain {
    /// Replaces the process's keychain for the code that runs inside `$override.withValue`.
    @TaskLocal package static var override: (any KeychainService)?

    /// A keychain that answers the four calls, and can be looked after or says who can.
    private typealias Keychain =
        any PresenceKeychain & KeychainMaintenance & BackupService & KeyRotationService & CircleKeychain

    private static let keychains = Mutex<[KeychainLocation: Keychain]>([:])
    private static let failures = FailureReport(log: KeychainLog.keychain)
    private static let latest = Mutex<(variable: String?, keychain: Keychain)?>(nil)

    /// The keychain that the environment names at this moment; the same one as before if it still names that.
    package static func service() throws(KeychainError) -> any KeychainService {
        if let override { return override }
        // The locks here are held for an instant, but a child that was forked in that instant would wait for ever.
        return try ForkGuard.holdingOffForks(keychain)
    }

    /// The same keychain, for those who have people asked.
    package static func presence() throws(KeychainError) -> any PresenceKeychain {
        if let override {
            guard let keychain = override as? any PresenceKeychain else { throw PresenceFailure.nobodyToAsk.error }
            return keychain
        }
        return try ForkGuard.holdingOffForks(keychain)
    }

    /// The same keychain, for those who look after it as a whole.
    package static func maintenance() throws(KeychainError) -> any KeychainMaintenance {
        try ForkGuard.holdingOffForks(keychain)
    }

    /// The same keychain, for its owner, who wants a backup of it or gives it one.
    package static func backups() throws(KeychainError) -> any BackupService {
        try ForkGuard.holdingOffForks(keychain)
    }

    /// The same keychain, for its owner, who wants other keys for it.
    package static func keyRotation() throws(KeychainError) -> any KeyRotationService {
        try ForkGuard.holdingOffForks(keychain)
    }

    /// The same keychain, for its owner, who has several devices.
    package static func shared() throws(KeychainError) -> any CircleKeychain {
        try ForkGuard.holdingOffForks(keychain)
    }

    /// The same keychain, for its owner, who looks at what is in it.
    package static func looked() throws(KeychainError) -> any PresenceKeychain & CircleKeychain {
        try ForkGuard.holdingOffForks(keychain)
    }

    /// Lets go of a keychain whose files are gone: another one at its place is opened anew.
    package static func forget(_ location: KeychainLocation) {
        _ = keychains.withLock { $0.removeValue(forKey: location) }
    }

    private static func keychain() throws(KeychainError) -> Keychain {
        if let chosen = KeychainLocation.chosen { return try keychain(at: chosen) }
        let variable = Environment[KeychainLocation.variable]
        if let latest = latest.withLock({ $0 }), latest.variable == variable { return latest.keychain }
        do throws(KeychainError) {
            let keychain = try keychain(at: KeychainLocation.current())
            latest.withLock { $0 = (variable, keychain) }
            return keychain
        } catch {
            failures.reportOnce(error)
            throw error
        }
    }

    private static func keychain(at location: KeychainLocation) throws(KeychainError) -> Keychain {
        if let keychain = keychains.withLock({ $0[location] }) { return keychain }
        let keychain = try make(location)
        return keychains.withLock { keychains in
            if let keychain = keychains[location] { return keychain }
            keychains[location] = keychain
            return keychain
        }
    }

    private static func make(_ location: KeychainLocation) throws(KeychainError) -> Keychain {
        switch location {
        case .embedded(let directory): try embedded(.embedded(directory: directory))
        case .memory: try embedded(.memory)
        // The service identifies this process by itself.
        case .service(let address): ServiceConnection(address)
        }
    }

    private static func embedded(_ place: EmbeddedKeychain.Place) throws(KeychainError) -> EmbeddedKeychain {
        let isNamed = Environment[KeychainLocation.variable].map { !$0.isEmpty } ?? false
        // The environment's passcode is for the keychain that the environment names.
        let isChosen = KeychainLocation.chosen != nil
        return EmbeddedKeychain(
            place,
            caller: try ProcessIdentity.current(),
            passcode: try PasscodeSource.choose(isNamed: isNamed) { isChosen ? nil : Environment[$0] }
        )
    }
}
