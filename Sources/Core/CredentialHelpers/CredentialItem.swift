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
    func store(_ item: CredentialItem, insteadOf filter: CredentialFilter) throws(HelperFailure) {
        if try replace(filter, by: item) { return }
        var request = AddRequest(itemClass: item.itemClass)
        request.attributes = item.attributes
        request.secrets = item.secrets
        do throws(KeychainError) {
            _ = try add(request)
        } catch {
            // Another process was faster.
            guard error.code == .duplicateItem else { throw HelperFailure(error) }
            guard try replace(filter, by: item) else {
                throw HelperFailure("another helper, or another program, has stored an item of this name already")
            }
        }
    }

    /// - Returns: false where there is none.
    private func replace(_ filter: CredentialFilter, by item: CredentialItem) throws(HelperFailure) -> Bool {
        guard let known = try credentials(filter, limit: .one).first else { return false }
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

    /// Erases those that are meant.
    ///
    /// - Parameter bySecret: whether the secrets are needed to tell.
    func erase(
        _ filter: CredentialFilter,
        bySecret: Bool,
        where isMeant: (FoundCredential) -> Bool
    ) throws(HelperFailure) {
        for item in try credentials(filter, withSecrets: bySecret) where isMeant(item) {
            var request = DeleteRequest(query: ItemQuery(itemClass: filter.itemClass))
            request.query.reference = item.reference
            request.query.synchronizable = .any
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
