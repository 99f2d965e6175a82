import Foundation
import Security

/// The passwords of a mail account: code as it is written for an iPhone, with not a line changed for Linux.
struct Passwords {
    let service: String

    func save(_ password: String, account: String) throws {
        let attributes: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
            kSecValueData as String: Data(password.utf8),
        ]
        try check(SecItemAdd(attributes as CFDictionary, nil))
    }

    func password(account: String) throws -> String? {
        var query = self.query(account: account)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecItemNotFound { return nil }
        try check(status)
        guard let data = item as? Data else { return nil }
        return String(data: data, encoding: .utf8)
    }

    func change(to password: String, account: String) throws {
        let changes: [String: Any] = [kSecValueData as String: Data(password.utf8)]
        try check(SecItemUpdate(query(account: account) as CFDictionary, changes as CFDictionary))
    }

    func delete(account: String) throws {
        try check(SecItemDelete(query(account: account) as CFDictionary))
    }

    private func query(account: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw KeychainFailure(status: status) }
    }
}

struct KeychainFailure: Error, CustomStringConvertible {
    let status: OSStatus

    var description: String {
        let message = SecCopyErrorMessageString(status, nil) as String? ?? "unknown"
        return "\(status) (\(message))"
    }
}
