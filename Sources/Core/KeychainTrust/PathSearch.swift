@_implementationOnly import X509

/// The search for a chain from a certificate to an anchor.
struct PathSearch {
    let leaf: Certificate
    let anchors: ParsedCertificates
    let intermediates: ParsedCertificates
    let check: ChainCheck

    /// How many certificates are tried as issuers before the search gives up. Each try can cost the check of a
    /// signature, and certificates that sign one another make for more paths than anybody can walk.
    static let mostTries = 512

    /// How long a chain is followed where none leads to an anchor.
    private static let longestRemains = 16

    enum Result {
        /// A chain to an anchor that meets the policies.
        case found([Certificate])
        /// A chain to an anchor that does not.
        case refused([Certificate], [TrustFailure])
        /// No chain leads to an anchor; this is how far the certificates go.
        case endsAt([Certificate], TrustFailure)
    }

    func result() -> Result {
        let budget = TryBudget(Self.mostTries)
        let anchors = CertificateStore(custom: BoundedStore(certificates: anchors, budget: budget))
        let intermediates = CertificateStore(custom: BoundedStore(certificates: intermediates, budget: budget))
        let refusal = FirstRefusal()
        let policy = ChainPolicy(check: check, refusal: refusal)
        let validation = CallingThread.run { [leaf] in
            var verifier = Verifier(rootCertificates: anchors) { policy }
            return await verifier.validate(leaf: leaf, intermediates: intermediates)
        }
        switch validation {
        case .validCertificate(let chain): return .found(Array(chain))
        case .couldNotValidate:
            return refusal.value.map { .refused($0.chain, $0.failures) } ?? remains()
        case nil:
            return .endsAt([leaf], TrustFailure(.internalError, "The evaluation did not end."))
        }
    }

    /// What can be said where no chain leads to an anchor.
    private func remains() -> Result {
        var chain = [leaf]
        while chain.count < Self.longestRemains, let tip = chain.last, tip.issuer != tip.subject,
            let issuer = issuer(of: tip), !chain.contains(issuer)
        {
            chain.append(issuer)
        }
        let tip = chain.last ?? leaf
        let failure =
            if tip.issuer == tip.subject {
                TrustFailure(
                    .noAnchor,
                    "\(tip.title) is self-signed, and is not among the certificates that are trusted."
                )
            } else {
                TrustFailure(.issuerMissing, "No certificate is at hand that signed \(tip.mention).")
            }
        return .endsAt(chain, failure)
    }

    private func issuer(of certificate: Certificate) -> Certificate? {
        let candidates = anchors[certificate.issuer] + intermediates[certificate.issuer]
        return candidates.prefix(Self.longestRemains).first { candidate in
            candidate.publicKey.isValidSignature(certificate.signature, for: certificate)
        }
    }
}

/// Certificates for the verifier, which stop being there when enough have been tried.
private struct BoundedStore: CustomCertificateStore {
    let certificates: ParsedCertificates
    let budget: TryBudget

    subscript(subject: DistinguishedName) -> [Certificate]? {
        get async {
            let found = certificates[subject]
            let allowed = budget.take(found.count)
            return allowed == 0 ? nil : Array(found.prefix(allowed))
        }
    }

    /// None is: the one that is evaluated was looked for before.
    func contains(_ certificate: Certificate) async -> Bool { false }

    mutating func append(contentsOf certificates: some Sequence<Certificate>) {}

    // The verifier's type asks for it and never compares.
    static func == (left: BoundedStore, right: BoundedStore) -> Bool { left.budget === right.budget }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(budget)) }
}
