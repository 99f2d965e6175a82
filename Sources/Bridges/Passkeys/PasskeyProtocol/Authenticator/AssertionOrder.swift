/// A log-in to which the owner has agreed.
struct AssertionOrder<Consent: Sendable>: Sendable {
    let site: RelyingParty
    let clientDataHash: [UInt8]
    let extensions: AuthenticatorExtensions.LogIn
    let isVerified: Bool
    let consent: Consent
    /// Whether the names of accounts are told.
    let namesUsers: Bool
}
