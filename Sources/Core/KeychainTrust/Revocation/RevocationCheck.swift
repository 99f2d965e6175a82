import KeychainCertificates

@_implementationOnly import X509

/// Looks for what is proved about a chain.
package struct RevocationCheck: Sendable {
    /// How many responses are looked at that a caller brings, and how long one may be.
    package static let mostResponses = 32
    package static let mostBytes = OCSPResponse.mostBytes

    private let evidence: RevocationEvidence
    private let date: Double

    /// - Parameter date: for when, in seconds since 2001-01-01.
    init(evidence: RevocationEvidence, date: Double) {
        self.evidence = evidence
        self.date = date
    }

    /// - Parameters:
    ///   - chain: from the certificate that is evaluated to the anchor. Nobody answers for the last one: it is not
    ///     looked at if it is an anchor or signed itself, and else nothing is known of it.
    func findings(about chain: [Certificate], endsInAnchor: Bool) -> RevocationFindings {
        var revoked: [String] = []
        var firstUnknown: String?
        var validUntil: Double?
        var open: [Int] = []
        for (index, (certificate, issuer)) in zip(chain, chain.dropFirst()).enumerated() {
            guard let proof = proof(about: certificate, of: issuer) else {
                open.append(index)
                firstUnknown = firstUnknown ?? certificate.mention
                continue
            }
            if proof.isRevoked { revoked.append(certificate.title) }
            validUntil = min(validUntil ?? proof.validUntil, proof.validUntil)
        }
        // An anchor that stands alone has no issuer who could say that it is good.
        if let tip = chain.last, chain.count == 1 || !endsInAnchor && tip.issuer != tip.subject {
            firstUnknown = firstUnknown ?? tip.mention
        }
        return RevocationFindings(
            revoked: revoked,
            firstUnknown: firstUnknown,
            open: endsInAnchor ? open : [],
            validUntil: validUntil
        )
    }

    private func proof(about certificate: Certificate, of issuer: Certificate) -> RevocationProof? {
        guard !evidence.isEmpty, let link = RevocationLink(certificate, issuedBy: issuer) else { return nil }
        return link.proof(in: evidence, at: date)
    }
}

/// What is proved about a certificate.
struct RevocationProof: Sendable, Equatable {
    let isRevoked: Bool
    /// In seconds since 2001-01-01.
    let validUntil: Double
}
