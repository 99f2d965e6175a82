import Foundation
import Security

enum KeychainError: Error {
    case itemNotFound
    case duplicateItem
    case unexpectedData
    case unhandled(status: OSStatus)
}

extension KeychainError: LocalizedError {
    var errorDescription: String? {
        switch self {
        case .itemNotFound: return "The item is not in the keychain."
        case .duplicateItem: return "The item is already in the keychain."
        case .unexpectedData: return "The item's data is not what was expected."
        case .unhandled(let status): return SecCopyErrorMessageString(status, nil) as String?
        }
    }
}

/// The keychain wrapper that many an app has.
class KeychainManager {
    static let shared = KeychainManager(service: "com.example.app")

    private let service: String
    private let accessGroup: String?

    init(service: String, accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    private func query(for account: String?) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecUseDataProtectionKeychain as String: true,
        ]
        if let account = account {
            query[kSecAttrAccount as String] = account
        }
        if let accessGroup = accessGroup {
            query[kSecAttrAccessGroup as String] = accessGroup
        }
        return query
    }

    func save(_ data: Data, account: String) throws {
        var attributes = query(for: account)
        attributes[kSecValueData as String] = data
        attributes[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlock
        let status = SecItemAdd(attributes as CFDictionary, nil)
        guard status != errSecDuplicateItem else { throw KeychainError.duplicateItem }
        guard status == errSecSuccess else { throw KeychainError.unhandled(status: status) }
    }

    func read(account: String) throws -> Data {
        var query = self.query(for: account)
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        query[kSecReturnAttributes as String] = kCFBooleanTrue
        query[kSecReturnData as String] = kCFBooleanTrue
        var queryResult: AnyObject?
        let status = withUnsafeMutablePointer(to: &queryResult) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        guard status != errSecItemNotFound else { throw KeychainError.itemNotFound }
        guard status == noErr else { throw KeychainError.unhandled(status: status) }
        guard let item = queryResult as? [String: AnyObject], let data = item[kSecValueData as String] as? Data else {
            throw KeychainError.unexpectedData
        }
        return data
    }

    func update(_ data: Data, account: String) throws {
        let attributes = [kSecValueData as String: data as AnyObject]
        let status = SecItemUpdate(query(for: account) as CFDictionary, attributes as CFDictionary)
        guard status != errSecItemNotFound else { throw KeychainError.itemNotFound }
        guard status == errSecSuccess else { throw KeychainError.unhandled(status: status) }
    }

    func delete(account: String) throws {
        let status = SecItemDelete(query(for: account) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw KeychainError.unhandled(status: status)
        }
    }

    func accounts() throws -> [String] {
        var query = self.query(for: nil)
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        query[kSecReturnAttributes as String] = true
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecItemNotFound { return [] }
        guard status == errSecSuccess else { throw KeychainError.unhandled(status: status) }
        guard let items = item as? [[String: Any]] else { throw KeychainError.unexpectedData }
        return items.compactMap { $0[kSecAttrAccount as String] as? String }.sorted()
    }

    func deleteAll() {
        SecItemDelete(query(for: nil) as CFDictionary)
    }
}

extension KeychainManager {
    subscript(account: String) -> String? {
        get {
            guard let data = try? read(account: account) else { return nil }
            return String(data: data, encoding: .utf8)
        }
        set {
            guard let value = newValue?.data(using: .utf8) else {
                try? delete(account: account)
                return
            }
            do {
                try save(value, account: account)
            } catch KeychainError.duplicateItem {
                try? update(value, account: account)
            } catch {
                print("not saved: \(error.localizedDescription)")
            }
        }
    }
}
