/// The authorization to check whether rows are as they were sealed, in all access groups.
///
/// It opens nothing to its holder: the vault says no more than whether a row is whole.
package struct AuthorizedInspection: Sendable {
    init() {}
}

extension KeychainPolicy {
    /// A process with the files and the keys may verify the keychain as a whole, except its locked items.
    package func authorizeInspection() -> AuthorizedInspection {
        AuthorizedInspection()
    }
}
