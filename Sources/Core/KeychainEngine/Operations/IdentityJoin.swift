import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

/// An identity: a certificate, and a key of whose public half the certificate holds the hash. Both are open.
struct OpenedIdentity {
    let certificate: Half
    let key: Half

    struct Half {
        let stored: StoredItem
        let item: OpenedItem
    }
}

/// Joins certificates and keys to identities, within one transaction.
///
/// What they have in common is the hash of the public key. Its blind index is another one in each table and in each
/// group, so the database cannot join them: one half is opened, and the other is looked up by what was in it.
struct IdentityJoin {
    private let engine: KeychainEngine
    private let transaction: ReadTransaction
    private let certificates: AuthorizedQuery
    private let keys: AuthorizedQuery

    init(
        _ search: AuthorizedIdentityFind,
        engine: KeychainEngine,
        transaction: ReadTransaction
    ) throws(KeychainError) {
        self.engine = engine
        self.transaction = transaction
        certificates = try search.certificates.resolvingGroups { () throws(KeychainError) in
            try transaction.groups(of: .certificate)
        }
        keys = try search.keys.resolvingGroups { () throws(KeychainError) in
            try transaction.groups(of: .key)
        }
    }

    /// The identities that match, as the body makes them: those whose certificate was added first come first.
    ///
    /// - Parameters:
    ///   - most: how many are wanted.
    ///   - release: nil leaves an identity out.
    /// - Throws: `interactionNotAllowed` if a half is locked.
    func identities<Value>(
        atMost most: Int,
        _ release: (OpenedIdentity) throws(KeychainError) -> Value?
    ) throws(KeychainError) -> [Value] {
        guard isSearchedByKey else { return try fromCertificates(atMost: most, release) }
        do {
            return try fromKeys(atMost: most, release)
        } catch {
            // A locked key may be one without a certificate, which is no match: the certificates know.
            guard error.code == .interactionNotAllowed else { throw error }
            return try fromCertificates(atMost: most, release)
        }
    }

    /// Whether keys are asked for by more than what every key of an identity has, and certificates by nothing.
    private var isSearchedByKey: Bool {
        certificates.query.reference == nil && certificates.query.filters.isEmpty
            && keys.query.filters.entries.contains { $0.key != .isPrivate }
    }

    private func fromCertificates<Value>(
        atMost most: Int,
        _ release: (OpenedIdentity) throws(KeychainError) -> Value?
    ) throws(KeychainError) -> [Value] {
        var matches = Matches<Value>(atMost: most)
        try forEachHalf(of: certificates) { (certificate, hash) throws(KeychainError) in
            var found: [OpenedIdentity.Half] = []
            try forEachHalf(of: keys.narrowed(to: .applicationLabel, hash)) { (key, other) in
                if other == hash { found.append(key) }
                return true
            }
            // Public keys are marked as private ones too; the identity's own key is the one to be met first.
            for key in found.filter(\.isPrivateHalf) + found.filter({ !$0.isPrivateHalf }) where !matches.isFull {
                try matches.append(OpenedIdentity(certificate: certificate, key: key), release)
            }
            return !matches.isFull
        }
        return matches.inOrder
    }

    private func fromKeys<Value>(
        atMost most: Int,
        _ release: (OpenedIdentity) throws(KeychainError) -> Value?
    ) throws(KeychainError) -> [Value] {
        var matches = Matches<Value>(atMost: most)
        try forEachHalf(of: keys) { (key, hash) throws(KeychainError) in
            try forEachHalf(of: certificates.narrowed(to: .publicKeyHash, hash)) {
                (certificate, other) throws(KeychainError) in
                if other == hash {
                    try matches.append(OpenedIdentity(certificate: certificate, key: key), release)
                }
                return !matches.isFull
            }
            return !matches.isFull
        }
        return matches.inOrder
    }

    /// Opens the rows of a selection that can be half of an identity, and gives them to the body with the hash of their
    /// public key until it returns false.
    private func forEachHalf(
        of selection: AuthorizedQuery,
        _ body: (OpenedIdentity.Half, AttributeValue) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        var goesOn = true
        // No wildcard is left, so that no groups have to be listed.
        for query in try engine.vault.blind(selection, existing: { [] }) where goesOn {
            try transaction.forEach(query) { (stored) throws(KeychainError) in
                // Here a certificate passes all that a certificate of an ordinary search has to pass.
                guard let item = try engine.openOrReport(stored, for: selection), item.matches(selection.query),
                    let hash = item.publicKeyHash
                else { return true }
                goesOn = try body(OpenedIdentity.Half(stored: stored, item: item), hash)
                return goesOn
            }
        }
    }

    /// What has been found, in the order of finding.
    private struct Matches<Value> {
        private let most: Int
        private var matches: [(rows: (Int64, Int64), value: Value)] = []

        init(atMost most: Int) {
            self.most = most
        }

        var isFull: Bool { matches.count >= most }

        mutating func append(
            _ identity: OpenedIdentity,
            _ release: (OpenedIdentity) throws(KeychainError) -> Value?
        ) throws(KeychainError) {
            guard let value = try release(identity) else { return }
            matches.append(((identity.certificate.stored.rowNumber, identity.key.stored.rowNumber), value))
        }

        var inOrder: [Value] {
            matches.sorted { $0.rows < $1.rows }.map(\.value)
        }
    }
}

extension OpenedItem {
    /// What joins a certificate and a key; nil for an item that is no half of an identity.
    var publicKeyHash: AttributeValue? {
        let isCertificate = row.itemClass == .certificate
        guard isCertificate || attributes[.isPrivate]?.isOne ?? false,
            let hash = attributes[isCertificate ? .publicKeyHash : .applicationLabel],
            // Keys without a label have an empty one. That is not a hash that they share.
            hash.byteCount > 0
        else { return nil }
        return hash
    }
}

extension OpenedIdentity.Half {
    /// Whether a key says that it is the private one of its pair.
    fileprivate var isPrivateHalf: Bool { item.attributes[.keyClass]?.isOne ?? false }
}

extension AttributeValue {
    fileprivate var isOne: Bool {
        canonicalBytes(as: .number) == AttributeValue.integer(1).canonicalBytes(as: .number)
    }
}
