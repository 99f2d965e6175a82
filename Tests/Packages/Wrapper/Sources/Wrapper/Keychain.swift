import Foundation

/// The passwords of a service, by account.
public final class Keychain {
    public enum Accessibility {
        case afterFirstUnlock
        case whenUnlocked

        var constant: CFString {
            switch self {
            case .afterFirstUnlock: return kSecAttrAccessibleAfterFirstUnlock
            case .whenUnlocked: return kSecAttrAccessibleWhenUnlocked
            }
        }
    }

    public let service: String
    public var accessibility = Accessibility.afterFirstUnlock

    public init(service: String = Bundle.main.bundleIdentifier ?? "wrapper") {
        self.service = service
    }

    public subscript(account: String) -> String? {
        get { (try? get(account)).flatMap { $0 } }
        set {
            if let newValue { try? set(newValue, for: account) } else { try? remove(account) }
        }
    }

    public func set(_ value: String, for account: String) throws {
        var attributes = query(account)
        attributes[kSecValueData as String] = value.data(using: .utf8)
        attributes[kSecAttrAccessible as String] = accessibility.constant
        var status = SecItemAdd(attributes as CFDictionary, nil)
        if status == errSecDuplicateItem {
            let changes: [CFString: Any] = [kSecValueData: Data(value.utf8)]
            status = SecItemUpdate(query(account) as CFDictionary, changes as CFDictionary)
        }
        try check(status)
    }

    public func get(_ account: String) throws -> String? {
        var query = self.query(account)
        query[kSecReturnData as String] = kCFBooleanTrue
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var result: AnyObject?
        let status = withUnsafeMutablePointer(to: &result) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        if status == errSecItemNotFound { return nil }
        try check(status)
        guard let data = result as? Data else { throw KeychainError(status: errSecInternalError) }
        return String(data: data, encoding: .utf8)
    }

    public func remove(_ account: String) throws {
        let status = SecItemDelete(query(account) as CFDictionary)
        if status != errSecItemNotFound { try check(status) }
    }

    public func accounts() throws -> [String] {
        let query: NSDictionary = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: service,
            kSecMatchLimit: kSecMatchLimitAll,
            kSecReturnAttributes: true,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query, &result)
        if status == errSecItemNotFound { return [] }
        try check(status)
        return (result as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
    }

    private func query(_ account: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
    }

    private func check(_ status: OSStatus) throws {
        if status != noErr { throw KeychainError(status: status) }
    }
}
