import KeychainModel

// What root alone says of a user's session.

/// The session was unlocked with a finger, just now. pam_chatelaine says so.
package struct SessionUnlockedRequest: BodilessRequest {
    package static let description = RequestDescription(80, from: .root, on: .changes(), answer: .nothing)

    package init() {}
}
