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
        guard CertificateContents(der: certificate) != nil, let leaf = try? Certificate(derEncoded: certificate) else {
            return .isNotTrusted(
                [TrustFailure(.unreadable, "It cannot be read as a certificate, or its key is not supported.")],
                chain: [certificate]
            )
        }
        let check = ChainCheck(policies: policies, date: date)
        // One that is trusted as it is need not be an authority, as the verifier would have it.
        if parsed(anchors).contains(leaf) {
            return verdict(check.failures(of: [leaf], endsInAnchor: true), chain: [leaf])
        }
        let search = PathSearch(
            leaf: leaf,
            anchors: parsed(anchors),
            intermediates: parsed(intermediates),
            check: check
        )
        switch search.result() {
        case .found(let chain): return verdict([], chain: chain)
        case .refused(let chain, let failures): return verdict(failures, chain: chain)
        case .endsAt(let chain, let failure):
            return verdict([failure] + check.failures(of: chain, endsInAnchor: false), chain: chain)
        }
    }
}

private func verdict(_ failures: [TrustFailure], chain: [Certificate]) -> TrustVerdict {
    let bytes = chain.map(\.bytes)
    return failures.isEmpty ? .isTrusted(chain: bytes) : .isNotTrusted(failures, chain: bytes)
}
