import CertificateTestSupport
import Foundation
import KeychainCertificates
import KeychainTrust
import Testing
import X509

@Suite("Responses about revocation")
struct StapleTests {
    private let hierarchy: Hierarchy
    /// Answers about the leaf and about its issuer that say that they are good.
    private let good: [[UInt8]]

    /// All are valid for ten days, so that a response is out of date long before them.
    init() throws {
        hierarchy = try Hierarchy(
            root: Self.tenDays(.authority),
            intermediate: Self.tenDays(.authority),
            leaf: Self.tenDays(.server)
        )
        good = [
            try TestResponses.make(about: hierarchy.leaf, of: hierarchy.intermediate, status: "V"),
            try TestResponses.make(about: hierarchy.intermediate, of: hierarchy.root, status: "V"),
        ]
    }

    private static func tenDays(_ request: CertificateRequest) -> CertificateRequest {
        request.with { $0.validity = -3600...864_000 }
    }

    private func outcome(
        _ staples: [[UInt8]],
        for policies: [TrustPolicy] = [.basicX509, .revocation(needsPositiveAnswer: true)],
        after seconds: Double = 0
    ) -> (reasons: Set<TrustFailure.Reason>, findings: RevocationFindings?) {
        let outcome = TrustVerifier(anchors: .only([hierarchy.root.der]), intermediates: [hierarchy.intermediate.der])
            .evaluate(
                hierarchy.leaf.der,
                for: policies,
                at: Date.timeIntervalSinceReferenceDate + seconds,
                evidence: RevocationEvidence(staples: staples)
            )
        return (outcome.verdict.reasons, outcome.revocation)
    }

    /// What a response about the leaf leads to, with a good one about its issuer beside it.
    private func reasons(_ staple: [UInt8], after seconds: Double = 0) -> Set<TrustFailure.Reason> {
        outcome([staple, good[1]], after: seconds).reasons
    }

    private func response(
        _ status: Character?,
        signer: TestAuthority? = nil,
        days: Int? = 1,
        request: [String] = [],
        response: [String] = []
    ) throws -> [UInt8] {
        try TestResponses.make(
            about: hierarchy.leaf,
            of: hierarchy.intermediate,
            status: status,
            signer: signer,
            days: days,
            request: request,
            response: response
        )
    }

    private func delegate(_ change: (inout CertificateRequest) -> Void = { _ in }) throws -> TestAuthority {
        var request = CertificateRequest()
        request.extendedKeyUsages = [.ocspSigning]
        change(&request)
        return try hierarchy.intermediate.issue("Responder", request)
    }

    // MARK: What counts

    @Test func `a good answer for each certificate but the anchor is a positive one`() {
        let (reasons, findings) = outcome(good)
        #expect(reasons.isEmpty)
        #expect(findings?.isComplete == true)
        let end = Date.timeIntervalSinceReferenceDate + 86_400
        #expect(findings?.validUntil.map { abs($0 - end) < 600 } == true)
    }

    @Test func `a positive answer about the leaf alone is not enough where one is required`() {
        #expect(outcome([good[0]]).reasons == [.revocationUnknown])
        #expect(outcome([good[1]]).reasons == [.revocationUnknown])
        #expect(outcome([good[0]], for: [.revocation(needsPositiveAnswer: false)]).reasons.isEmpty)
    }

    @Test func `a revoked certificate is refused under every policy`() throws {
        let revoked = try response("R")
        for policies in [[], [.basicX509], [.revocation(needsPositiveAnswer: false)]] as [[TrustPolicy]] {
            #expect(outcome([revoked], for: policies).reasons == [.revoked])
        }
        #expect(reasons(revoked) == [.revoked])
    }

    @Test func `an answer that a certificate was revoked outweighs a good one`() throws {
        let revoked = try response("R")
        #expect(outcome(good + [revoked]).reasons == [.revoked])
        #expect(outcome([revoked] + good).reasons == [.revoked])
    }

    @Test func `a revoked issuer makes what it issued worthless`() throws {
        let revoked = try TestResponses.make(about: hierarchy.intermediate, of: hierarchy.root, status: "R")
        #expect(outcome([good[0], revoked]).reasons == [.revoked])
    }

    @Test func `certificates are found by SHA-256 too, and responders by their key`() throws {
        #expect(try reasons(response("V", request: ["-sha256"])).isEmpty)
        #expect(try reasons(response("V", response: ["-resp_key_id"])).isEmpty)
        #expect(try reasons(response("R", request: ["-sha256"], response: ["-resp_key_id"])) == [.revoked])
    }

    @Test func `somebody answers whom the issuer has named for it`() throws {
        #expect(try reasons(response("V", signer: delegate())).isEmpty)
        #expect(try reasons(response("R", signer: delegate(), response: ["-resp_key_id"])) == [.revoked])
    }

    // MARK: What proves nothing

    @Test func `nobody answers whom the issuer has not named for it`() throws {
        let others = [
            hierarchy.root, hierarchy.leaf, try TestAuthority.root("Intermediate"),
            try delegate { $0.extendedKeyUsages = nil }, try delegate { $0.extendedKeyUsages = [.any, .serverAuth] },
            try delegate { $0.validity = -7200 ... -3600 }, try delegate { $0.validity = 3600...7200 },
            try delegate { $0.keyUsage = KeyUsage(keyEncipherment: true) },
            try hierarchy.root.issue("Responder", CertificateRequest().with { $0.extendedKeyUsages = [.ocspSigning] }),
        ]
        for (index, other) in others.enumerated() {
            #expect(try reasons(response("V", signer: other)) == [.revocationUnknown], "\(index)")
            #expect(try reasons(response("R", signer: other)) == [.revocationUnknown], "\(index)")
        }
    }

    @Test func `an answer about another certificate proves nothing`() throws {
        let other = try hierarchy.intermediate.issue("Leaf")
        let staple = try TestResponses.make(about: other, of: hierarchy.intermediate, status: "V")
        #expect(reasons(staple) == [.revocationUnknown])
        let stranger = try TestAuthority.root("Intermediate")
        #expect(
            try reasons(TestResponses.make(about: hierarchy.leaf, of: stranger, status: "V")) == [.revocationUnknown]
        )
    }

    @Test func `a response that is out of date or from the future proves nothing`() throws {
        #expect(reasons(good[0], after: 86_000).isEmpty)
        let later = outcome(good, after: 3 * 86_400).reasons
        #expect(later == [.revocationUnknown])
        #expect(try reasons(response("R"), after: 3 * 86_400) == [.revocationUnknown])
        #expect(reasons(good[0], after: -3000) == [.revocationUnknown])
        #expect(reasons(good[0], after: -120).isEmpty)
    }

    @Test func `a response that does not say how long it holds proves nothing`() throws {
        #expect(try reasons(response("V", days: nil)) == [.revocationUnknown])
    }

    @Test func `a server that knows nothing proves nothing`() throws {
        #expect(try reasons(response(nil)) == [.revocationUnknown])
        // Each OCSPResponseStatus but `successful`, without an answer.
        for status in 1...6 as ClosedRange<UInt8> {
            #expect(reasons([0x30, 3, 0x0A, 1, status]) == [.revocationUnknown])
        }
    }

    @Test func `no shortened and no changed response proves what its signer did not say`() throws {
        let revoked = try response("R", signer: delegate())
        for length in revoked.indices {
            #expect(reasons(Array(revoked.prefix(length))) == [.revocationUnknown])
        }
        for position in revoked.indices {
            for change in [0x01, 0x21] as [UInt8] {
                var changed = revoked
                changed[position] ^= change
                #expect(!reasons(changed).isEmpty, "\(position)")
            }
        }
        #expect(reasons(revoked + [0]) == [.revocationUnknown])
    }

    @Test func `a certificate that stands alone has nobody who answers for it`() {
        let alone = TrustVerifier(anchors: .only([hierarchy.leaf.der]), intermediates: [])
            .evaluate(
                hierarchy.leaf.der,
                for: [.revocation(needsPositiveAnswer: true)],
                at: Date.timeIntervalSinceReferenceDate,
                evidence: RevocationEvidence(staples: good)
            )
        #expect(alone.verdict.reasons == [.revocationUnknown])
    }
}
