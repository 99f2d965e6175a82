/// What a certificate's content has to be like: those `kSecMatch…` keys that no attribute can answer. All that are given
/// have to hold.
package struct CertificateFilter: Sendable, Equatable {
    /// `kSecMatchIssuers`: the normalised names of which one has to be among the issuers up the chain.
    package var issuers: Set<[UInt8]>?
    /// `kSecMatchValidOnDate`.
    package var validOn: Instant?
    /// `kSecMatchEmailAddressIfPresent`.
    package var emailAddressIfPresent: String?

    package enum Instant: Sendable, Equatable {
        /// The moment of the search.
        case now
        /// Seconds since 2001-01-01.
        case at(Double)
    }

    package init() {}

    /// Whether nothing is asked of the content, so that it need not even be a certificate.
    package var isEmpty: Bool { self == CertificateFilter() }
}
