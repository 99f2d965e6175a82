import Foundation

/// A box for strings and data, with a name, a place and one accessibility. Two with the same are the same box.
public final class Strongbox: Hashable, @unchecked Sendable {
    private let service: String
    private let group: String?
    private let isSynchronizable: Bool
    public let accessibility: Accessibility
    private let lock = NSLock()

    public static func box(with identifier: Identifier, accessibility: Accessibility) -> Strongbox {
        Strongbox("box_\(identifier)", nil, false, accessibility)
    }

    public static func sharedBox(with group: SharedGroupIdentifier, accessibility: Accessibility) -> Strongbox {
        Strongbox("shared_\(group.group)", group.description, false, accessibility)
    }

    public static func synchronizedBox(with identifier: Identifier, accessibility: Accessibility) -> Strongbox {
        Strongbox("synchronized_\(identifier)", nil, true, accessibility)
    }

    private init(_ name: String, _ group: String?, _ isSynchronizable: Bool, _ accessibility: Accessibility) {
        service = "Strongbox_\(name)_\(accessibility.rawValue)"
        self.group = group
        self.isSynchronizable = isSynchronizable
        self.accessibility = accessibility
    }

    public static func == (left: Strongbox, right: Strongbox) -> Bool {
        left.service == right.service && left.group == right.group
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(service) }

    private var query: [String: AnyHashable] {
        var query: [String: AnyHashable] = [
            kSecClass as String: kSecClassGenericPassword as String,
            kSecAttrService as String: service,
            kSecAttrAccessible as String: accessibility.attribute,
        ]
        if let group { query[kSecAttrAccessGroup as String] = group }
        if isSynchronizable { query[kSecAttrSynchronizable as String] = true }
        if #available(iOS 13, macOS 10.15, *) { query[kSecUseDataProtectionKeychain as String] = true }
        return query
    }

    private func query(for key: String) throws -> [String: AnyHashable] {
        guard !key.isEmpty else { throw BoxError.emptyKey }
        var query = self.query
        query[kSecAttrAccount as String] = key
        return query
    }

    /// Whether the keychain can be used at all, found out by a value that is written and read.
    public func canAccessKeychain() -> Bool {
        guard var query = try? query(for: "Strongbox_canary") else { return false }
        query[kSecReturnData as String] = true
        let value = Data("canary".utf8)
        if let found: Data = try? SecItem.copy(matching: query) { return found == value }
        try? setObject(value, forKey: "Strongbox_canary")
        defer { try? removeObject(forKey: "Strongbox_canary") }
        return (try? object(forKey: "Strongbox_canary")) == value
    }

    public func setString(_ string: String, forKey key: String) throws {
        try setObject(Data(string.utf8), forKey: key)
    }

    public func string(forKey key: String) throws -> String {
        guard let string = String(data: try object(forKey: key), encoding: .utf8) else { throw BoxError.itemNotFound }
        return string
    }

    public func setObject(_ object: Data, forKey key: String) throws {
        lock.lock()
        defer { lock.unlock() }
        guard !object.isEmpty else { throw BoxError.emptyValue }
        var query = try query(for: key)
        if SecItem.contains(query) == errSecSuccess {
            try SecItem.update(query, to: [kSecValueData as String: object])
        } else {
            query[kSecValueData as String] = object
            try SecItem.add(query)
        }
    }

    public func object(forKey key: String) throws -> Data {
        lock.lock()
        defer { lock.unlock() }
        var query = try query(for: key)
        query[kSecMatchLimit as String] = kSecMatchLimitOne as String
        query[kSecReturnData as String] = true
        return try SecItem.copy(matching: query)
    }

    public func containsObject(forKey key: String) throws -> Bool {
        switch SecItem.contains(try query(for: key)) {
        case errSecSuccess: return true
        case errSecItemNotFound: return false
        case let status: throw BoxError(status: status)
        }
    }

    public func allKeys() throws -> Set<String> {
        var query = self.query
        query[kSecMatchLimit as String] = kSecMatchLimitAll as String
        query[kSecReturnAttributes as String] = true
        do {
            let found: Any = try SecItem.copy(matching: query)
            // One item may come alone, as on some versions of iOS.
            let items = (found as? [[String: AnyHashable]]) ?? (found as? [String: AnyHashable]).map { [$0] } ?? []
            return Set(items.compactMap { $0[kSecAttrAccount as String] as? String })
        } catch BoxError.itemNotFound {
            return []
        }
    }

    public func removeObject(forKey key: String) throws { try SecItem.delete(try query(for: key)) }

    public func removeAllObjects() throws { try SecItem.delete(query) }

    /// Takes what a query finds into this box: by persistent references, which are read one by one.
    public func migrateObjects(matching query: [String: AnyHashable], removeOnCompletion: Bool) throws {
        var search = query
        search[kSecMatchLimit as String] = kSecMatchLimitAll as String
        search[kSecReturnAttributes as String] = true
        search[kSecReturnPersistentRef as String] = true
        let items: [[String: AnyHashable]] = try SecItem.copy(matching: search)
        var values: [(key: String, value: Data)] = []
        for item in items {
            guard let key = item[kSecAttrAccount as String] as? String,
                let reference = item[kSecValuePersistentRef as String] as? Data
            else { continue }
            guard try !containsObject(forKey: key) else { throw BoxError.keyToMigrateAlreadyExists }
            let value: Data = try SecItem.copy(matching: [
                kSecValuePersistentRef as String: reference, kSecReturnData as String: true,
            ])
            values.append((key, value))
        }
        for (key, value) in values { try setObject(value, forKey: key) }
        if removeOnCompletion { try SecItem.delete(query) }
    }
}
