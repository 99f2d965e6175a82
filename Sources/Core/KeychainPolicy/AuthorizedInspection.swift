/// The authorization to look whether rows are as they were sealed, whoever's they are.
///
/// It opens nothing to its holder: the vault says no more than whether a row is whole.
package struct AuthorizedInspection: Sendable {
    init() {}
}

extension KeychainPolicy {
    /// Whoever holds the files and the keys may look over the keychain as a whole, its locked items excepted.
    package func authorizeInspection() -> AuthorizedInspection {
        AuthorizedInspection()
    }
}
