import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainModel
@_implementationOnly import KeychainTrust

extension TrustEvaluation {
    /// Evaluates. If a policy asks for that, answers about revocation are looked for in the cache, and from servers where
    /// the program allows it; then it evaluates again with what was found.
    ///
    /// A fork waits for each of these steps, since they take locks that evaluations share, but for no server.
    static func made(of settings: TrustSettings) throws(KeychainError) -> TrustEvaluation {
        var (evaluation, search) = try ForkGuard.holdingOffForks { first(of: settings) }
        guard search != nil else { return evaluation }
        while let request = try ForkGuard.holdingOffForks({ search?.next() }) {
            let answer = request.send()
            try ForkGuard.holdingOffForks { search?.take(answer) }
        }
        if let evidence = search?.evidence {
            evaluation = try ForkGuard.holdingOffForks {
                TrustEvaluation(of: settings, outcome(of: settings, evidence))
            }
        }
        return evaluation
    }

    /// An evaluation with what is at hand, and the search for what is not.
    private static func first(of settings: TrustSettings) -> (TrustEvaluation, RevocationSearch?) {
        let evidence = RevocationEvidence(staples: settings.staples)
        let outcome = outcome(of: settings, evidence)
        let search = settings.revocationDemand.flatMap {
            RevocationSearch(for: $0, after: outcome, evidence: evidence)
        }
        return (TrustEvaluation(of: settings, outcome), search)
    }

    private static func outcome(of settings: TrustSettings, _ evidence: RevocationEvidence) -> TrustOutcome {
        let certificates = settings.certificates.map { [UInt8]($0.der) }
        let anchors = settings.anchors?.map { [UInt8]($0.der) }
        let verifier = TrustVerifier(
            anchors: anchors.map { settings.trustsOwnAnchorsOnly ? .only($0) : .systemAnd($0) } ?? .system,
            intermediates: Array(certificates.dropFirst())
        )
        return verifier.evaluate(
            certificates.first ?? [],
            for: settings.effectivePolicies.map(\.trustPolicy),
            at: (settings.date ?? Date()).timeIntervalSinceReferenceDate,
            evidence: evidence
        )
    }
}
