import Foundation
import KeychainCertificates
import SwiftASN1

@_implementationOnly import X509

/// What the verifier's own policy does not ask of a chain, or does not tell apart, and what the caller's policies ask.
struct ChainCheck: Sendable {
    private let policies: [TrustPolicy]
    /// Seconds since 2001-01-01.
    private let date: Double

    init(policies: [TrustPolicy], date: Double) {
        self.policies = policies
        self.date = date
    }

    /// The extensions that this looks at, or the verifier's own policy.
    static let understoodExtensions: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.nameConstraints, .X509ExtensionID.keyUsage,
        .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.subjectAlternativeName,
    ]

    /// What speaks against a chain whose signatures are good.
    func failures(of chain: [Certificate], endsInAnchor: Bool) -> [TrustFailure] {
        guard let leaf = chain.first else { return [TrustFailure(.internalError, "There is no certificate.")] }
        let isAnchor = endsInAnchor && chain.count == 1
        let anchorIndex = endsInAnchor ? chain.count - 1 : nil
        var failures: [TrustFailure] = []
        for (index, certificate) in chain.enumerated() {
            failures += self.failures(
                of: certificate,
                isIssuer: index > 0,
                isAnchor: index == anchorIndex
            )
        }
        failures += excludedNames(in: chain)
        for policy in policies {
            failures += self.failures(of: policy, leaf: leaf, isAnchor: isAnchor)
            failures += usageFailures(
                of: policy,
                chain: endsInAnchor && chain.count > 1 ? chain.dropLast() : chain[...]
            )
        }
        return failures
    }

    // MARK: Each certificate

    private func failures(of certificate: Certificate, isIssuer: Bool, isAnchor: Bool) -> [TrustFailure] {
        var failures: [TrustFailure] = []
        func fail(_ reason: TrustFailure.Reason, _ message: String) {
            failures.append(TrustFailure(reason, "\(certificate.title) \(message)", isAboutAnchor: isAnchor))
        }
        // Written so that a date that is no number is no moment at which anything is valid.
        if !(date >= certificate.notValidBefore.timeIntervalSinceReferenceDate) {
            fail(.notValidYet, "is not valid yet.")
        }
        if !(date <= certificate.notValidAfter.timeIntervalSinceReferenceDate) {
            fail(.expired, "has expired.")
        }
        if certificate.extensions.contains(where: { $0.critical && !Self.understoodExtensions.contains($0.oid) }) {
            fail(.criticalExtension, "has a critical extension that is not understood here.")
        }
        // The signatures of anchors and of self-signed certificates are not checked.
        if !isAnchor, certificate.signatureAlgorithm == .sha1WithRSAEncryption,
            certificate.issuer != certificate.subject || !isIssuer
        {
            fail(.weakDigest, "is signed with SHA-1, which can be forged.")
        }
        guard isIssuer else { return failures }
        // RFC 5280, section 6.1.4: a certificate of an old version is an authority only where that is known otherwise,
        // as of an anchor. The verifier's own policy lets it pass for an authority everywhere.
        if !isAnchor, !certificate.isAuthority {
            fail(.notAnAuthority, "is no authority, and signed another certificate.")
        }
        // The same section, (n). The verifier's own policy does not look at it.
        if certificate.extensions[oid: .X509ExtensionID.keyUsage] != nil,
            (try? certificate.extensions.keyUsage)?.keyCertSign != true
        {
            fail(.keyUsage, "may not sign certificates.")
        }
        return failures
    }

    // MARK: What it is used for

    private func failures(of policy: TrustPolicy, leaf: Certificate, isAnchor: Bool) -> [TrustFailure] {
        switch policy {
        // Revocation is looked at when a chain is found: see `RevocationCheck`.
        case .basicX509, .codeSigning, .timeStamping, .revocation: return []
        case .tls(let isServer, let name):
            var failures: [TrustFailure] = []
            if let name, CertificateContents(der: leaf.bytes)?.isFor(host: name) != true {
                failures.append(TrustFailure(.hostNameMismatch, "\(leaf.title) is not for this host name."))
            }
            // A user who trusts this very certificate has accepted these.
            guard isServer, !isAnchor else { return failures }
            if leaf.isAuthority {
                failures.append(TrustFailure(.isAnAuthority, "\(leaf.title) is an authority, not a server."))
            }
            if leaf.isIssuedUnderLimits, leaf.daysOfValidity > Self.mostDaysOfValidity {
                failures.append(
                    TrustFailure(
                        .validityTooLong,
                        "\(leaf.title) is valid for more than \(Self.mostDaysOfValidity) days."
                    )
                )
            }
            return failures
        case .mail(let address):
            guard let address else { return [] }
            let addresses = CertificateContents(der: leaf.bytes)?.emailAddresses ?? []
            let isFor = addresses.contains { $0.lowercased() == address.lowercased() }
            return isFor ? [] : [TrustFailure(.mailAddressMismatch, "\(leaf.title) is not for this mail address.")]
        case .unsupported(let identifier):
            return [TrustFailure(.unsupportedPolicy, "The policy \(identifier) is not evaluated here.")]
        }
    }

    /// TLS servers' certificates last no longer, nor go without an extended key usage, since 1 July 2019
    /// (https://support.apple.com/en-us/103769).
    private static let mostDaysOfValidity = 825

    private func usageFailures(of policy: TrustPolicy, chain: ArraySlice<Certificate>) -> [TrustFailure] {
        guard let purpose = policy.purpose else { return [] }
        return chain.enumerated().compactMap { index, certificate in
            guard !certificate.allows(purpose, isRequired: index == 0 && policy.requiresPurpose(of: certificate)) else {
                return nil
            }
            return TrustFailure(
                .extendedKeyUsage,
                "The extended key usage of \(certificate.mention) does not allow this."
            )
        }
    }
}
