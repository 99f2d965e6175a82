package import KeychainModel

/// A credential in the keychain: which item it is, what it is called, and what is in it.
package struct CredentialItem: Sendable {
    package var itemClass: ItemClass
    /// What tells it from other items, and what people see of it.
    package var attributes: AttributeList
    package var secret: SecretBytes
    /// What is sealed beside the secret; nil for an item that has no room for it.
    package var extra: SecretBytes?

    /// - Parameter kind: the helper that stores it, which alone finds it again.
    init(
        _ kind: CredentialKind,
        _ itemClass: ItemClass,
        _ attributes: AttributeList,
        secret: SecretBytes,
        extra: SecretBytes? = nil
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.attributes[.kindText] = .string(kind.rawValue)
        self.secret = secret
        self.extra = extra
    }
}

/// Whose credentials they are, as it stands in each item. Helpers choose services and accounts as their programs name them,
/// and the programs read names from files of others: what one helper stores, no other gives out.
package enum CredentialKind: String, Sendable, CaseIterable {
    case git = "git credential"
    case docker = "docker credential"
    case cargo = "cargo token"
    case keyring = "keyring password"
    case aws = "AWS credentials"
    case kubernetes = "Kubernetes credential"
}

/// A filter on items of one class and one kind.
package struct CredentialFilter: Sendable {
    package var itemClass: ItemClass
    package var attributes = AttributeList()

    init(_ kind: CredentialKind, _ itemClass: ItemClass, _ attributes: AttributeList) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.attributes[.kindText] = .string(kind.rawValue)
    }

    fileprivate var query: ItemQuery {
        var query = ItemQuery(itemClass: itemClass)
        query.filters = attributes
        query.synchronizable = .any
        return query
    }
}

/// An item that was found.
struct FoundCredential {
    fileprivate let reference: PersistentReference
    let attributes: AttributeList
    let secret: SecretBytes
    let extra: SecretBytes
    /// The digest of all of it; nil without the secret.
    let sha1: [UInt8]?

    func text(_ key: AttributeKey) -> String? {
        switch attributes[key] {
        case .string(let text): text
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        case .integer, .real, .date, nil: nil
        }
    }

    fileprivate init(_ item: FoundItem) {
        reference = item.reference
        attributes = item.attributes
        secret = item.secrets[.valueData] ?? SecretBytes([])
        extra = item.secrets[.clientDefined0] ?? SecretBytes([])
        sha1 = item.sha1
    }
}

extension KeychainService {
    func credentials(
        _ filter: CredentialFilter,
        limit: MatchLimit = .all,
        withSecrets: Bool = true
    ) throws(HelperFailure) -> [FoundCredential] {
        var request = FindRequest(query: filter.query)
        request.limit = limit
        request.returns = withSecrets ? [.attributes, .data] : [.attributes]
        return try attempt { () throws(KeychainError) in try find(request) }.map(FoundCredential.init)
    }

    /// Stores a credential: anew, or in place of one that the filter finds. What is stored already is not written again.
    ///
    /// - Parameter rivals: what else goes, in the transaction in which the new one comes; nil for nothing.
    func store(
        _ item: CredentialItem,
        insteadOf filter: CredentialFilter,
        andOf rivals: CredentialFilter? = nil
    ) throws(HelperFailure) {
        // Another process may be faster. What it did is found in the next round.
        for _ in 0..<Self.mostRounds {
            let hasOthers = try rivals.map { rivals throws(HelperFailure) in
                try credentials(rivals, withSecrets: false).count > 1
            }
            if hasOthers != true, let known = try credentials(filter, limit: .one).first {
                guard try replace(known, by: item) else { continue }
                return
            }
            do throws(KeychainError) {
                try add(item, insteadOf: rivals)
                return
            } catch {
                guard error.code == .duplicateItem else { throw HelperFailure(error) }
            }
        }
        throw HelperFailure("another helper, or another program, has stored an item of this name already")
    }

    private static var mostRounds: Int { 16 }

    private func add(_ item: CredentialItem, insteadOf rivals: CredentialFilter?) throws(KeychainError) {
        var request = AddRequest(itemClass: item.itemClass)
        request.attributes = item.attributes
        request.secrets = item.secrets
        if let rivals {
            _ = try transact([.delete(DeleteRequest(query: rivals.query)), .add(request)])
        } else {
            _ = try add(request)
        }
    }

    /// - Returns: false where it is gone.
    private func replace(_ known: FoundCredential, by item: CredentialItem) throws(HelperFailure) -> Bool {
        let isSame = known.secret.isEqual(to: item.secret) && item.extra.map { $0.isEqual(to: known.extra) } ?? true
        if isSame { return true }
        var request = UpdateRequest(query: ItemQuery(itemClass: item.itemClass))
        request.query.reference = known.reference
        request.query.synchronizable = .any
        request.changes.secrets = item.secrets
        return try attempt { () throws(KeychainError) in try update(request) } > 0
    }

    /// - Returns: how many are gone.
    func erase(_ filter: CredentialFilter) throws(HelperFailure) -> Int {
        let request = DeleteRequest(query: filter.query)
        return try attempt { () throws(KeychainError) in try delete(request) }
    }

    /// Erases what has this secret, and is as it was found when it goes: another process may store a newer one meanwhile.
    func erase(_ filter: CredentialFilter, secret: SecretBytes) throws(HelperFailure) {
        for item in try credentials(filter) where item.secret.isEqual(to: secret) {
            // Without it the request would mean every item of the filter.
            guard let digest = item.sha1 else { throw HelperFailure("the keychain gives no digest of the credential") }
            var request = DeleteRequest(query: filter.query)
            request.query.sha1 = digest
            _ = try attempt { () throws(KeychainError) in try delete(request) }
        }
    }

    private func attempt<Value>(_ body: () throws(KeychainError) -> Value) throws(HelperFailure) -> Value {
        do throws(KeychainError) {
            return try body()
        } catch {
            throw HelperFailure(error)
        }
    }
}

extension CredentialItem {
    fileprivate var secrets: [AttributeKey: SecretBytes] {
        var secrets: [AttributeKey: SecretBytes] = [.valueData: secret]
        secrets[.clientDefined0] = extra
        return secrets
    }
}
