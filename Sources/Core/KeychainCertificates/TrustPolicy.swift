/// What a certificate has to be good for.
package enum TrustPolicy: Sendable, Hashable {
    /// A chain as RFC 5280 has it, and nothing more.
    case basicX509
    /// A server or a client of TLS, and the host name or IP address that it must be for; nil for any.
    case tls(isServer: Bool, name: String?)
    /// Mail, and the address that it must be for; nil for any.
    case mail(address: String?)
    case codeSigning
    case timeStamping
    /// Revocation, and whether each certificate but the anchor needs an answer that says that it was not revoked.
    case revocation(needsPositiveAnswer: Bool)
    /// One that is not evaluated here, by its identifier.
    case unsupported(String)
}
