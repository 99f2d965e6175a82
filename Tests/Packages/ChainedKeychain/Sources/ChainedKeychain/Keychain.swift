import Foundation

/// The passwords of a service or of a server, by account. Each option gives another value.
public final class Keychain {
    private let options: Options

    private init(_ options: Options) { self.options = options }

    public convenience init(service: String, accessGroup: String? = nil) {
        var options = Options()
        options.service = service
        options.accessGroup = accessGroup
        self.init(options)
    }

    public convenience init(server: URL) {
        var options = Options()
        options.itemClass = kSecClassInternetPassword
        options.server = server
        self.init(options)
    }

    private func with(_ change: (inout Options) -> Void) -> Keychain {
        var options = self.options
        change(&options)
        return Keychain(options)
    }

    public func accessibility(_ accessibility: Accessibility) -> Keychain { with { $0.accessibility = accessibility } }
    public func synchronizable(_ flag: Bool) -> Keychain { with { $0.isSynchronizable = flag } }
    public func label(_ label: String) -> Keychain { with { $0.label = label } }
    public func comment(_ comment: String) -> Keychain { with { $0.comment = comment } }

    public subscript(key: String) -> String? {
        get { try? get(key) }
        set {
            do {
                if let newValue { try set(newValue, key: key) } else { try remove(key) }
            } catch {
                print("keychain: \(error)")
            }
        }
    }

    public func get(_ key: String) throws -> String? {
        try getData(key).flatMap { String(data: $0, encoding: .utf8) }
    }

    public func getData(_ key: String) throws -> Data? {
        var query = options.query(account: key)
        query[String(kSecMatchLimit)] = kSecMatchLimitOne
        query[String(kSecReturnData)] = kCFBooleanTrue
        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        try Status.check(status, except: errSecItemNotFound)
        return result as? Data
    }

    public func set(_ value: String, key: String) throws {
        let data = Data(value.utf8)
        var query = options.query(account: key)
        #if os(iOS)
        query[String(kSecUseAuthenticationUI)] = kSecUseAuthenticationUIFail
        #endif
        switch SecItemCopyMatching(query as CFDictionary, nil) {
        case errSecSuccess, errSecInteractionNotAllowed:
            query[String(kSecUseAuthenticationUI)] = nil
            var changes = options.attributes(account: key, value: data)
            changes[String(kSecClass)] = nil
            try Status.check(SecItemUpdate(query as CFDictionary, changes as CFDictionary))
        case errSecItemNotFound:
            try Status.check(SecItemAdd(options.attributes(account: key, value: data) as CFDictionary, nil))
        case let status: throw Status(code: status)
        }
    }

    public func remove(_ key: String) throws {
        try Status.check(SecItemDelete(options.query(account: key) as CFDictionary), except: errSecItemNotFound)
    }

    public func removeAll() throws {
        var query = options.query()
        #if !os(iOS) && !os(watchOS) && !os(tvOS)
        query[String(kSecMatchLimit)] = kSecMatchLimitAll
        #endif
        try Status.check(SecItemDelete(query as CFDictionary), except: errSecItemNotFound)
    }

    public func contains(_ key: String) throws -> Bool {
        switch SecItemCopyMatching(options.query(account: key) as CFDictionary, nil) {
        case errSecSuccess: return true
        case errSecItemNotFound: return false
        case let status: throw Status(code: status)
        }
    }

    public func allKeys() -> [String] { allItems().compactMap { $0["key"] as? String } }

    /// Of each item the key, the value, and what else is known of it.
    public func allItems() -> [[String: Any]] {
        var query = options.query()
        query[String(kSecMatchLimit)] = kSecMatchLimitAll
        query[String(kSecReturnAttributes)] = kCFBooleanTrue
        #if !os(macOS)
        query[String(kSecReturnData)] = kCFBooleanTrue
        #endif
        var result: AnyObject?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return [] }
        return (result as? [[String: Any]] ?? []).map { attributes in
            var item: [String: Any] = [:]
            item["key"] = attributes[String(kSecAttrAccount)] as? String
            item["value"] = (attributes[String(kSecValueData)] as? Data).flatMap { String(data: $0, encoding: .utf8) }
            item["accessGroup"] = attributes[String(kSecAttrAccessGroup)] as? String
            item["label"] = attributes[String(kSecAttrLabel)] as? String
            item["comment"] = attributes[String(kSecAttrComment)] as? String
            item["accessibility"] = (attributes[String(kSecAttrAccessible)] as? String).flatMap(Accessibility.init)
            item["synchronizable"] = attributes[String(kSecAttrSynchronizable)] as? Bool
            item["created"] = attributes[String(kSecAttrCreationDate)] as? Date
            return item
        }
    }
}
