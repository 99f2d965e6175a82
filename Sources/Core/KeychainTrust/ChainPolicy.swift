import SwiftASN1
import Synchronization

@_implementationOnly @_spi(DisableValidityCheck) import X509

/// What the verifier asks each chain to an anchor for.
struct ChainPolicy: VerifierPolicy, Sendable {
    let check: ChainCheck
    let refusal: FirstRefusal
    /// The dates are looked at by `check`, which says more than that something is wrong.
    private let rfc5280 = RFC5280Policy.withValidityCheckDisabled()

    init(check: ChainCheck, refusal: FirstRefusal) {
        self.check = check
        self.refusal = refusal
    }

    var verifyingCriticalExtensions: [ASN1ObjectIdentifier] { Array(ChainCheck.understoodExtensions) }

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        let certificates = Array(chain)
        var failures = check.failures(of: certificates, endsInAnchor: true)
        if case .failsToMeetPolicy = rfc5280.chainMeetsPolicyRequirements(chain: chain),
            !failures.contains(where: { $0.reason == .constraint })
        {
            failures.append(
                Self.isTooLong(certificates)
                    ? TrustFailure(.pathTooLong, "The chain is longer than one of its authorities allows.")
                    : TrustFailure(.constraint, "The chain breaks a rule of RFC 5280 about authorities or names.")
            )
        }
        guard let first = failures.first else { return .meetsPolicy }
        refusal.keep(certificates, failures)
        return .failsToMeetPolicy(reason: first.message)
    }

    /// Whether the verifier's own policy refuses a chain for this reason, which it tells in words alone.
    private static func isTooLong(_ chain: [Certificate]) -> Bool {
        chain.indices.dropFirst().contains { index in
            guard case .isCertificateAuthority(let most?) = try? chain[index].extensions.basicConstraints else {
                return false
            }
            return chain[1..<index].count { $0.issuer != $0.subject } > most
        }
    }
}

/// The first chain that was refused, which is the one that the verifier likes best.
final class FirstRefusal: Sendable {
    private let kept = Mutex<(chain: [Certificate], failures: [TrustFailure])?>(nil)

    var value: (chain: [Certificate], failures: [TrustFailure])? { kept.withLock { $0 } }

    func keep(_ chain: [Certificate], _ failures: [TrustFailure]) {
        kept.withLock { if $0 == nil { $0 = (chain, failures) } }
    }
}
