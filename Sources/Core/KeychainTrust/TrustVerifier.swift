package import KeychainCertificates
import SwiftASN1

@_implementationOnly import X509

/// Answers whether certificates are trusted: under the same anchors, with the same certificates at hand, for as many
/// as one likes.
package struct TrustVerifier: Sendable {
    private let anchors: TrustAnchors
    /// Trusted no more than what stands in them; the type is only the one that hides the verifier's own.
    private let intermediates: TrustAnchors

    /// - Parameters:
    ///   - anchors: what is trusted as it is.
    ///   - intermediates: certificates that may lead to an anchor, as DER bytes. What is none is left out.
    package init(anchors: TrustAnchors, intermediates: [[UInt8]]) {
        self.anchors = anchors
        self.intermediates = .only(intermediates)
    }

    /// Evaluates one certificate.
    ///
    /// It works on the calling thread alone, and ends after a bounded number of steps, whatever it is given.
    ///
    /// - Parameters:
    ///   - certificate: its DER bytes.
    ///   - policies: all of which it has to meet; none means the basic one.
    ///   - date: for when, in seconds since 2001-01-01.
    package func evaluate(_ certificate: [UInt8], for policies: [TrustPolicy], at date: Double) -> TrustVerdict {
        evaluate(certificate, for: policies, at: date, evidence: RevocationEvidence(staples: [])).verdict
    }

    /// The same, with answers about revocation. What proves nothing is left out.
    package func evaluate(
        _ certificate: [UInt8],
        for policies: [TrustPolicy],
        at date: Double,
        evidence: RevocationEvidence
    ) -> TrustOutcome {
        guard CertificateContents(der: certificate) != nil, let leaf = try? Certificate(derEncoded: certificate) else {
            let verdict = TrustVerdict.isNotTrusted(
                [TrustFailure(.unreadable, "It cannot be read as a certificate, or its key is not supported.")],
                chain: [certificate]
            )
            return TrustOutcome(verdict: verdict, revocation: nil, date: date)
        }
        let (chain, failures, endsInAnchor) = path(from: leaf, check: ChainCheck(policies: policies, date: date))
        let revocation = RevocationCheck(evidence: evidence, date: date)
            .findings(about: chain, endsInAnchor: endsInAnchor)
        // What was revoked is the weightiest. It counts beside other failures too, which a caller may let pass.
        let revoked = revocation.revoked.map { TrustFailure(.revoked, "\($0) was revoked by its issuer.") }
        let unknown = revocation.unknown(under: policies).map { TrustFailure(.revocationUnknown, $0) }
        return TrustOutcome(
            verdict: verdict(revoked + failures + unknown, chain: chain),
            revocation: revocation,
            date: date
        )
    }

    /// The chain that is judged, and what speaks against it apart from revocation.
    private func path(from leaf: Certificate, check: ChainCheck) -> ([Certificate], [TrustFailure], endsInAnchor: Bool)
    {
        // One that is trusted as it is need not be an authority, as the verifier would have it.
        if parsed(anchors).contains(leaf) {
            return ([leaf], check.failures(of: [leaf], endsInAnchor: true), true)
        }
        let search = PathSearch(
            leaf: leaf,
            anchors: parsed(anchors),
            intermediates: parsed(intermediates),
            check: check
        )
        switch search.result() {
        case .found(let chain): return (chain, [], true)
        case .refused(let chain, let failures): return (chain, failures, true)
        case .endsAt(let chain, let failure):
            return (chain, [failure] + check.failures(of: chain, endsInAnchor: false), false)
        }
    }
}

private func verdict(_ failures: [TrustFailure], chain: [Certificate]) -> TrustVerdict {
    let bytes = chain.map(\.bytes)
    return failures.isEmpty ? .isTrusted(chain: bytes) : .isNotTrusted(failures, chain: bytes)
}
