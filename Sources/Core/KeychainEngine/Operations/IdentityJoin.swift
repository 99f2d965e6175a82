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
    private let certificates: Side
    private let keys: Side

    /// The selection of one half.
    private struct Side {
        let selection: AuthorizedQuery
        /// The same for the database, once for each group: made once, since it is asked for each row of the other side.
        let queries: [BlindQuery]
        let join: AttributeKey
    }

    init(
        _ search: AuthorizedIdentityFind,
        engine: KeychainEngine,
        transaction: ReadTransaction
    ) throws(KeychainError) {
        self.engine = engine
        self.transaction = transaction
        func side(_ selection: AuthorizedQuery, join: AttributeKey) throws(KeychainError) -> Side {
            let queries = try engine.vault.blind(selection) { () throws(KeychainError) in
                try transaction.groups(of: selection.query.itemClass)
            }
            return Side(selection: selection, queries: queries, join: join)
        }
        certificates = try side(search.certificates, join: .publicKeyHash)
        keys = try side(search.keys, join: .applicationLabel)
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
        certificates.selection.query.reference == nil && certificates.selection.query.filters.isEmpty
            && keys.selection.query.filters.entries.contains { $0.key != .isPrivate }
    }

    private func fromCertificates<Value>(
        atMost most: Int,
        _ release: (OpenedIdentity) throws(KeychainError) -> Value?
    ) throws(KeychainError) -> [Value] {
        var matches = Matches<Value>(atMost: most)
        try forEachHalf(of: certificates) { (certificate, hash) throws(KeychainError) in
            var found: [OpenedIdentity.Half] = []
            try forEachHalf(of: keys, with: hash) { (key, _) in
                found.append(key)
                return true
            }
            for key in found.sorted(by: { $0.rank < $1.rank }) where !matches.isFull {
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
        func match(_ key: OpenedIdentity.Half, _ hash: AttributeValue) throws(KeychainError) {
            try forEachHalf(of: certificates, with: hash) { (certificate, _) throws(KeychainError) in
                try matches.append(OpenedIdentity(certificate: certificate, key: key), release)
                return !matches.isFull
            }
        }
        // A public key that is marked as a private one counts as well, but not before the private one of the pair.
        var publicKeys: [(OpenedIdentity.Half, AttributeValue)] = []
        try forEachHalf(of: keys) { (key, hash) throws(KeychainError) in
            if key.isPrivate { try match(key, hash) } else { publicKeys.append((key, hash)) }
            return !matches.isFull
        }
        for (key, hash) in publicKeys where !matches.isFull { try match(key, hash) }
        return matches.inOrder
    }

    /// Opens the rows of a side that can be half of an identity, and gives them to the body with the hash of their public
    /// key until it returns false.
    ///
    /// - Parameter wanted: the only hash that is wanted; nil for all.
    private func forEachHalf(
        of side: Side,
        with wanted: AttributeValue? = nil,
        _ body: (OpenedIdentity.Half, AttributeValue) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        var goesOn = true
        for query in side.queries where goesOn {
            let query = wanted.map { engine.vault.narrow(query, to: side.join, $0) } ?? query
            try transaction.forEach(query) { (stored) throws(KeychainError) in
                // Here a certificate passes all that a certificate of an ordinary search has to pass.
                guard let item = try engine.openOrReport(stored, for: side.selection),
                    item.matches(side.selection.query), let hash = item.publicKeyHash,
                    wanted == nil || hash == wanted
                else { return true }
                goesOn = try body(OpenedIdentity.Half(stored: stored, item: item), hash)
                return goesOn
            }
        }
    }

    /// What has been found, in the order of finding.
    private struct Matches<Value> {
        private let most: Int
        private var matches: [(order: (Int64, Int64, Int64), value: Value)] = []

        init(atMost most: Int) {
            self.most = most
        }

        var isFull: Bool { matches.count >= most }

        mutating func append(
            _ identity: OpenedIdentity,
            _ release: (OpenedIdentity) throws(KeychainError) -> Value?
        ) throws(KeychainError) {
            guard let value = try release(identity) else { return }
            let rank = identity.key.rank
            matches.append(((identity.certificate.stored.rowNumber, rank.0, rank.1), value))
        }

        var inOrder: [Value] {
            matches.sorted { $0.order < $1.order }.map(\.value)
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
    /// The place of a key among those of one certificate. Public keys are marked as private ones too; the private key of
    /// the pair is the one to be met first.
    fileprivate var rank: (Int64, Int64) {
        (isPrivate ? 0 : 1, stored.rowNumber)
    }

    fileprivate var isPrivate: Bool { item.attributes[.keyClass]?.isOne ?? false }
}

extension AttributeValue {
    fileprivate var isOne: Bool {
        canonicalBytes(as: .number) == AttributeValue.integer(1).canonicalBytes(as: .number)
    }
}
