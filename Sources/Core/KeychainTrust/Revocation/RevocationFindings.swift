import KeychainCertificates

/// What is known of the revocation of a chain's certificates.
package struct RevocationFindings: Sendable, Equatable {
    /// What to call the certificates that were revoked.
    package let revoked: [String]
    /// What to call the first certificate, below the anchor, of which nothing is known.
    let firstUnknown: String?
    /// Which certificates of the chain somebody could answer for who did not, by their places. None where the chain does
    /// not end in an anchor: servers that nobody vouches for are not asked.
    let open: [Int]
    /// Until when all of this is known to be right, in seconds since 2001-01-01; nil if nothing is known.
    package let validUntil: Double?

    /// Whether something is known of each certificate but the anchor.
    package var isComplete: Bool { firstUnknown == nil }

    /// What speaks against a chain of which not all is known.
    func unknown(under policies: [TrustPolicy]) -> [String] {
        guard let firstUnknown, revoked.isEmpty, policies.contains(.revocation(needsPositiveAnswer: true)) else {
            return []
        }
        return ["Whether \(firstUnknown) was revoked is not known."]
    }
}
