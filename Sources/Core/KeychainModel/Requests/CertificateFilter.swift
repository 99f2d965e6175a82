package import KeychainCertificates

/// What a certificate's content has to be like: those `kSecMatch…` keys that no attribute can answer. All that are given
/// have to hold.
package struct CertificateFilter: Sendable, Equatable {
    /// `kSecMatchIssuers`: the normalised names of which one has to be among the issuers up the chain.
    package var issuers: Set<[UInt8]>?
    /// `kSecMatchValidOnDate`.
    package var validOn: Instant?
    /// `kSecMatchEmailAddressIfPresent`.
    package var emailAddressIfPresent: String?

    /// `kSecMatchPolicy`: what the certificate has to be good for, as far as an anchor.
    package var policy: TrustPolicy?
    /// `kSecMatchTrustedOnly`.
    package var isTrusted = false

    package enum Instant: Sendable, Equatable {
        /// The moment of the search.
        case now
        /// Seconds since 2001-01-01.
        case at(Double)
    }

    package init() {}

    /// Whether the certificate is to be verified, for which others are needed.
    package var asksForTrust: Bool { isTrusted || policy != nil }

    /// Whether nothing is asked of the content, so that it need not even be a certificate.
    package var isEmpty: Bool { self == CertificateFilter() }
}
