package import KeychainClient
package import KeychainModel

/// The four calls, as short as tests want them. An error's code stands for the failure.
extension EmbeddedKeychain {
    /// Adds a generic password and returns its persistent reference.
    @discardableResult
    package func add(
        _ account: String,
        service: String = "service",
        value: String = "value",
        _ adjust: (inout AddRequest) -> Void = { _ in }
    ) throws(KeychainError) -> PersistentReference {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        request.attributes["svce"] = .string(service)
        request.secrets[.valueData] = SecretBytes(Array(value.utf8))
        request.returns = .persistentReference
        adjust(&request)
        guard let item = try add(request) else { throw KeychainError(.internalError, "an add returned nothing") }
        return item.reference
    }

    /// Every password of the caller's groups, with its value: `account=value`, sorted.
    package func all(
        service: String? = nil,
        _ adjust: (inout FindRequest) -> Void = { _ in }
    ) throws(KeychainError) -> [String] {
        try items { request in
            if let service { request.query.filters["svce"] = .string(service) }
            request.returns = [.data, .attributes]
            adjust(&request)
        }.map { "\($0.account)=\($0.value)" }.sorted()
    }

    /// The accounts of every password whose attributes open, sorted.
    package func accounts() throws(KeychainError) -> [String] {
        try items { $0.returns = .attributes }.map(\.account).sorted()
    }

    package func items(_ adjust: (inout FindRequest) -> Void) throws(KeychainError) -> [FoundItem] {
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        request.query.synchronizable = .any
        request.limit = .all
        adjust(&request)
        return try find(request)
    }

    /// The value of an account; nil if it is not found.
    package func value(of account: String) throws(KeychainError) -> String? {
        try items { request in
            request.query.filters["acct"] = .string(account)
            request.limit = .one
            request.returns = .data
        }.first?.value
    }

    /// What a reference names.
    package func find(
        _ reference: PersistentReference,
        returns: ReturnSelection = [.data, .attributes]
    ) throws(KeychainError) -> FoundItem? {
        var request = FindRequest(query: ItemQuery(itemClass: reference.itemClass))
        request.query.reference = reference
        request.query.synchronizable = .any
        request.returns = returns
        return try find(request).first
    }

    @discardableResult
    package func update(
        _ account: String,
        value: String? = nil,
        _ adjust: (inout ItemChanges) -> Void = { _ in }
    ) throws(KeychainError) -> Int {
        var request = UpdateRequest(query: ItemQuery(itemClass: .genericPassword))
        request.query.filters["acct"] = .string(account)
        if let value { request.changes.secrets[.valueData] = SecretBytes(Array(value.utf8)) }
        adjust(&request.changes)
        return try update(request)
    }

    @discardableResult
    package func delete(_ account: String? = nil) throws(KeychainError) -> Int {
        var request = DeleteRequest(query: ItemQuery(itemClass: .genericPassword))
        request.query.synchronizable = .any
        request.leavesTombstone = false
        if let account { request.query.filters["acct"] = .string(account) }
        return try delete(request)
    }
}

extension FoundItem {
    package var account: String {
        if case .string(let account) = attributes["acct"] { account } else { "" }
    }

    package var value: String {
        secrets[.valueData]?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// The code of the error that a call fails with; nil if it does not fail.
package func failure<Value>(_ body: () throws(KeychainError) -> Value) -> KeychainError.Code? {
    do throws(KeychainError) {
        _ = try body()
        return nil
    } catch {
        return error.code
    }
}
