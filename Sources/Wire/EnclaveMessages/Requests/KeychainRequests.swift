package import EnclaveInterface
import KeychainModel

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
