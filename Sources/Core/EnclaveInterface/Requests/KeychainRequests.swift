package import KeychainModel

// What the keychain service asks about a keychain, and about its lock.

/// Whether the user has a keychain.
package struct KeychainPresenceRequest: BodilessRequest {
    package static let description = RequestDescription(
        1,
        from: .service,
        on: .changes(),
        isRepeatable: true,
        answer: .presence
    )

    package init() {}
}

/// Makes the user's keychain where there is none.
package struct CreateKeychainRequest: BodilessRequest {
    package static let description = RequestDescription(2, from: .service, on: .changes(), answer: .nothing)

    package init() {}
}

/// The keys that the service's process may have.
package struct ServiceKeysRequest: BodilessRequest {
    package static let description = RequestDescription(
        3,
        from: .service,
        on: .changes(unlessQuick: true),
        isRepeatable: true,
        answer: .serviceKeys
    )

    package init() {}
}

extension Enclave {
    /// The keys that the keychain's own code may hold now.
    package func serviceKeys() throws(KeychainError) -> ServiceKeys { try answer(ServiceKeysRequest()) }
}

/// The machine is about to sleep: every keychain locks whose settings say so, whichever user the message names.
package struct SleepRequest: BodilessRequest {
    package static let description = RequestDescription(
        14,
        from: .service,
        on: .changes(),
        isRepeatable: true,
        answer: .nothing
    )

    package init() {}
}

package struct StateRequest: BodilessRequest {
    package static let description = RequestDescription(
        32,
        from: [.service, .owner],
        on: .changes(unlessQuick: true),
        isRepeatable: true,
        answer: .state
    )

    package init() {}
}

extension Enclave {
    package func state() throws(KeychainError) -> EnclaveState { try answer(StateRequest()) }
}

extension EnclaveControl {
    package func state() throws(KeychainError) -> EnclaveState { try answer(StateRequest()) }
}

package struct LockRequest: BodilessRequest {
    package static let description = RequestDescription(
        33,
        from: [.service, .owner],
        on: .changes(),
        isRepeatable: true,
        answer: .nothing
    )

    package init() {}
}

extension Enclave {
    /// Drops the keys that a locked keychain does not hold. The caller needs no passcode.
    package func lock() throws(KeychainError) { try answer(LockRequest()) }
}

extension EnclaveControl {
    package func lock() throws(KeychainError) { try answer(LockRequest()) }
}

package struct LogOutRequest: BodilessRequest {
    package static let description = RequestDescription(
        34,
        from: [.service, .owner],
        on: .changes(),
        isRepeatable: true,
        answer: .nothing
    )

    package init() {}
}

extension Enclave {
    /// Drops all keys but those of Always classes, as if the machine had just started: the owner's last session has
    /// ended.
    package func logOut() throws(KeychainError) { try answer(LogOutRequest()) }
}

extension EnclaveControl {
    /// Drops all keys but those of Always classes, as if the machine had just started.
    package func logOut() throws(KeychainError) { try answer(LogOutRequest()) }
}
