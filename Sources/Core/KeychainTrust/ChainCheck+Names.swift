import KeychainCertificates

@_implementationOnly import X509

extension ChainCheck {
    /// The names of hosts that an authority further up excludes. Damaged constraints are refused by the verifier's own
    /// policy, which looks at permitted subtrees too: a wildcard is in one where its domain is.
    func excludedNames(in chain: [Certificate]) -> [TrustFailure] {
        var failures: [TrustFailure] = []
        for (index, authority) in chain.enumerated().dropFirst() {
            guard let constraints = try? authority.extensions.nameConstraints else { continue }
            let excluded = constraints.excludedSubtrees.compactMap { subtree in
                if case .dnsName(let name) = subtree { ExcludedHosts(name) } else { nil }
            }
            guard !excluded.isEmpty else { continue }
            for certificate in chain[..<index] {
                let names = CertificateContents(der: certificate.bytes)?.dnsNames ?? []
                guard names.contains(where: { name in excluded.contains { $0.overlap(name) } }) else { continue }
                failures.append(
                    TrustFailure(.constraint, "\(certificate.title) has a name that one of its authorities excludes.")
                )
            }
        }
        return failures
    }
}
