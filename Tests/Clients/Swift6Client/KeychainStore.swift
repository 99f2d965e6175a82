internal import Foundation
internal import Security

/// A keychain as an actor, with typed errors and Codable values.
actor KeychainStore {
    enum Failure: Error, Equatable {
        case notFound
        case duplicate
        case malformed
        case status(OSStatus, String)

        init(_ status: OSStatus) {
            switch status {
            case errSecItemNotFound: self = .notFound
            case errSecDuplicateItem: self = .duplicate
            default: self = .status(status, (SecCopyErrorMessageString(status, nil) as String?) ?? "")
            }
        }
    }

    private let service: String

    init(service: String) {
        self.service = service
    }

    private func query(_ account: String, _ more: [CFString: Any] = [:]) -> CFDictionary {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: service,
            kSecAttrAccount: account,
        ]
        query.merge(more) { $1 }
        return query as CFDictionary
    }

    func save<Value: Encodable & Sendable>(_ value: Value, as account: String) throws {
        let data = try JSONEncoder().encode(value)
        let attributes = query(
            account,
            [kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly]
        )
        let status = SecItemAdd(attributes, nil)
        guard status == errSecSuccess else { throw Failure(status) }
    }

    func read<Value: Decodable & Sendable>(_ type: Value.Type = Value.self, from account: String) throws -> Value {
        var item: CFTypeRef?
        let status = SecItemCopyMatching(
            query(account, [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]),
            &item
        )
        guard status == errSecSuccess else { throw Failure(status) }
        guard let data = item as? Data else { throw Failure.malformed }
        return try JSONDecoder().decode(type, from: data)
    }

    func update<Value: Encodable & Sendable>(_ value: Value, as account: String) throws {
        let data = try JSONEncoder().encode(value)
        let status = SecItemUpdate(query(account), [kSecValueData: data] as CFDictionary)
        guard status == errSecSuccess else { throw Failure(status) }
    }

    func delete(_ account: String) throws {
        let status = SecItemDelete(query(account))
        guard status == errSecSuccess else { throw Failure(status) }
    }

    func all() throws -> [Item] {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true,
            kSecReturnPersistentRef as String: true,
        ]
        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return [] }
        guard status == errSecSuccess else { throw Failure(status) }
        guard let items = result as? [[String: Any]] else { throw Failure.malformed }
        return items.compactMap(Item.init)
    }
}

/// What a list shows of an item.
struct Item: Sendable, Hashable {
    let account: String
    let created: Date
    let reference: Data

    init?(_ attributes: [String: Any]) {
        guard let account = attributes[kSecAttrAccount as String] as? String,
            let created = attributes[kSecAttrCreationDate as String] as? Date,
            let reference = attributes[kSecValuePersistentRef as String] as? Data
        else { return nil }
        self.account = account
        self.created = created
        self.reference = reference
    }
}
