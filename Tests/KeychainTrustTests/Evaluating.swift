import CertificateTestSupport
import Foundation
import KeychainCertificates
import KeychainTrust

/// Evaluates a certificate with others at hand.
func evaluate(
    _ leaf: [UInt8],
    with intermediates: [[UInt8]] = [],
    anchors: [[UInt8]],
    for policies: TrustPolicy...,
    at date: Date = Date()
) -> TrustVerdict {
    TrustVerifier(anchors: .only(anchors), intermediates: intermediates)
        .evaluate(leaf, for: policies, at: date.timeIntervalSinceReferenceDate)
}

extension TrustVerdict {
    var isTrusted: Bool {
        if case .isTrusted = self { true } else { false }
    }

    /// What speaks against the certificate; nothing if it is trusted.
    var reasons: Set<TrustFailure.Reason> {
        switch self {
        case .isTrusted: []
        case .isNotTrusted(let failures, _): Set(failures.map(\.reason))
        }
    }
}

/// Three that issued each other's certificates.
struct Hierarchy {
    let root: TestAuthority
    let intermediate: TestAuthority
    let leaf: TestAuthority

    init(
        root: CertificateRequest = .authority,
        intermediate: CertificateRequest = .authority,
        leaf: CertificateRequest = .server
    ) throws {
        self.root = try TestAuthority.root("Root", root)
        self.intermediate = try self.root.issue("Intermediate", intermediate)
        self.leaf = try self.intermediate.issue("Leaf", leaf)
    }

    func verdict(for policy: TrustPolicy = .basicX509, at date: Date = Date()) -> TrustVerdict {
        evaluate(leaf.der, with: [intermediate.der], anchors: [root.der], for: policy, at: date)
    }
}
