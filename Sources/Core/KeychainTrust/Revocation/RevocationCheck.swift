import KeychainCertificates

@_implementationOnly import X509

/// Looks for what responses prove about a chain.
package struct RevocationCheck: Sendable {
    /// How many responses are looked at, and how long one may be.
    package static let mostResponses = 32
    package static let mostBytes = OCSPResponse.mostBytes

    private let responses: [OCSPResponse]
    private let date: Double

    /// - Parameters:
    ///   - responses: in DER. What is none is left out, and what is beyond `mostResponses`.
    ///   - date: for when, in seconds since 2001-01-01.
    init(responses: [[UInt8]], date: Double) {
        self.responses = responses.prefix(Self.mostResponses).compactMap { OCSPResponse(der: $0) }
        self.date = date
    }

    /// - Parameters:
    ///   - chain: from the certificate that is evaluated to the anchor. Nobody answers for the last one: it is not
    ///     looked at if it is an anchor or signed itself, and else nothing is known of it.
    func findings(about chain: [Certificate], endsInAnchor: Bool) -> RevocationFindings {
        var revoked: [String] = []
        var firstUnknown: String?
        var validUntil: Double?
        for (certificate, issuer) in zip(chain, chain.dropFirst()) {
            guard let proof = proof(about: certificate, of: issuer) else {
                firstUnknown = firstUnknown ?? certificate.title
                continue
            }
            if proof.isRevoked { revoked.append(certificate.title) }
            validUntil = min(validUntil ?? proof.validUntil, proof.validUntil)
        }
        // An anchor that stands alone has no issuer who could say that it is good.
        if let tip = chain.last, chain.count == 1 || !endsInAnchor && tip.issuer != tip.subject {
            firstUnknown = firstUnknown ?? tip.title
        }
        return RevocationFindings(revoked: revoked, firstUnknown: firstUnknown, validUntil: validUntil)
    }

    /// What the responses prove about one certificate. One that says that it was revoked outweighs all others.
    private func proof(about certificate: Certificate, of issuer: Certificate) -> RevocationProof? {
        guard !responses.isEmpty, let subject = CertificateContents(der: certificate.bytes),
            let authority = CertificateContents(der: issuer.bytes)
        else { return nil }
        let check = OCSPCheck(
            subject: subject,
            authority: authority,
            issuer: issuer,
            date: date
        )
        let proofs = responses.compactMap { check.proof(in: $0) }
        return proofs.first(where: \.isRevoked) ?? proofs.max { $0.validUntil < $1.validUntil }
    }
}

/// What is proved about a certificate.
struct RevocationProof: Sendable, Equatable {
    let isRevoked: Bool
    /// In seconds since 2001-01-01.
    let validUntil: Double
}
