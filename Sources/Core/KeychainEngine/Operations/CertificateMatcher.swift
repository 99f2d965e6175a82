import KeychainCertificates
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainTrust
import KeychainVault

/// Judges certificates by what stands in them, as one search's `kSecMatch…` keys ask.
struct CertificateMatcher {
    private let filter: CertificateFilter
    /// The moment of the search, in seconds since 2001-01-01: the same for all that it judges.
    private let now: Double
    /// The issuers of the stored certificates, by their subjects. A subject may have several.
    private let issuers: [[UInt8]: Set<[UInt8]>]

    /// What verifies them; nil if the search does not ask for it.
    private let verifier: TrustVerifier?

    /// How many steps from a certificate's own issuer the chain is followed upwards.
    private static let deepestChain = 10

    fileprivate init(
        filter: CertificateFilter,
        now: Double,
        issuers: [[UInt8]: Set<[UInt8]>],
        verifier: TrustVerifier?
    ) {
        self.filter = filter
        self.now = now
        self.issuers = issuers
        self.verifier = verifier
    }

    /// Whether the certificate is needed to judge it.
    var isNeeded: Bool { !filter.isEmpty }

    /// Whether an item's data is what the search asks for. No data, and data that is no certificate, never is, unless
    /// nothing is asked.
    func matches(_ certificate: SecretBytes?) -> Bool {
        guard isNeeded else { return true }
        guard let bytes = certificate?.publicBytes, let contents = CertificateContents(der: bytes) else { return false }
        return isIssued(contents) && isValid(contents) && belongs(contents) && isTrusted(bytes)
    }

    private func isValid(_ contents: CertificateContents) -> Bool {
        filter.validOn == nil || contents.isValid(at: date)
    }

    /// The moment that the search asks for.
    private var date: Double {
        switch filter.validOn {
        case nil, .now: now
        case .at(let seconds): seconds
        }
    }

    private func isTrusted(_ certificate: [UInt8]) -> Bool {
        guard let verifier else { return true }
        switch verifier.evaluate(certificate, for: [filter.policy ?? .basicX509], at: date) {
        case .isTrusted: return true
        case .isNotTrusted: return false
        }
    }

    private func belongs(_ contents: CertificateContents) -> Bool {
        filter.emailAddressIfPresent.map(contents.belongs) ?? true
    }

    private func isIssued(_ contents: CertificateContents) -> Bool {
        guard let wanted = filter.issuers else { return true }
        var names: Set = [contents.issuer.normalizedContent]
        var seen = names
        for _ in 0..<Self.deepestChain {
            guard wanted.isDisjoint(with: names) else { return true }
            // Certificates that issued each other end the search here: none is visited twice.
            names = Set(names.flatMap { issuers[$0] ?? [] }).subtracting(seen)
            seen.formUnion(names)
        }
        return !wanted.isDisjoint(with: names)
    }
}

extension KeychainEngine {
    /// What judges the certificates that a query finds.
    ///
    /// Chains lead through all certificates that the caller may see, in whichever group, synchronizable or not. They
    /// are read from the certificates themselves: an item's attributes are what a caller said of it.
    ///
    /// It reads rows, so it is made before the rows of the query are: a statement cannot run within itself.
    ///
    /// - Complexity: O(*n*) in the stored certificates if the query asks for issuers or for trust, else O(1).
    func certificateMatcher(
        for query: ItemQuery,
        of caller: Caller,
        in transaction: ReadTransaction
    ) throws(KeychainError) -> CertificateMatcher {
        let filter = query.certificate
        var issuers: [[UInt8]: Set<[UInt8]>] = [:]
        var others: [[UInt8]] = []
        if filter.needsOthers {
            try forEachCertificate(of: caller, in: transaction) { bytes, contents in
                if let subject = contents.subject {
                    issuers[subject.normalizedContent, default: []].insert(contents.issuer.normalizedContent)
                }
                if filter.asksForTrust { others.append(bytes) }
            }
        }
        return CertificateMatcher(
            filter: filter,
            now: Self.now,
            issuers: issuers,
            verifier: filter.asksForTrust ? TrustVerifier(anchors: .system, intermediates: others) : nil
        )
    }

    private func forEachCertificate(
        of caller: Caller,
        in transaction: ReadTransaction,
        _ body: ([UInt8], CertificateContents) -> Void
    ) throws(KeychainError) {
        var query = ItemQuery(itemClass: .certificate)
        query.synchronizable = .any
        let selection = try policy.authorize(FindRequest(query: query), for: caller).selection
        let groups = try vault.blind(selection) { () throws(KeychainError) in
            try transaction.groups(of: .certificate)
        }
        for group in groups {
            try transaction.forEach(group) { (stored) throws(KeychainError) in
                if let item = try openOrReport(stored, for: selection),
                    let data = try openSecretsOrReport(of: item, for: selection)?.values[.valueData],
                    let contents = CertificateContents(der: data.publicBytes)
                {
                    body(data.publicBytes, contents)
                }
                return true
            }
        }
    }
}

extension SecretBytes {
    /// A certificate is public: a copy that is not wiped gives nothing away.
    fileprivate var publicBytes: [UInt8] {
        unsafe withUnsafeBytes { unsafe Array($0) }
    }
}

extension CertificateFilter {
    /// Whether other certificates have to be read to judge one.
    var needsOthers: Bool { issuers != nil || asksForTrust }
}
