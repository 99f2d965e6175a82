/// How servers and lists are asked about revocation.
package struct RevocationDemand: Sendable, Equatable {
    /// What can be asked.
    package enum Method: Sendable, CaseIterable {
        /// A server about one certificate (OCSP, RFC 6960).
        case server
        /// For the issuer's list (CRL, RFC 5280).
        case list
    }

    /// Those that may be used, the preferred one first.
    package let methods: [Method]
    /// Whether what is not in the cache may be fetched.
    package let mayFetch: Bool

    package init(methods: [Method], mayFetch: Bool) {
        self.methods = methods
        self.mayFetch = mayFetch
    }
}
