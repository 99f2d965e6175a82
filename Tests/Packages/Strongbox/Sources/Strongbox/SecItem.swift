import Foundation

/// The four calls, with errors instead of statuses.
enum SecItem {
    static func copy<Result>(matching query: [String: AnyHashable]) throws -> Result {
        var result: AnyObject?
        let status = withUnsafeMutablePointer(to: &result) { pointer in
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer(pointer))
        }
        guard status == errSecSuccess else { throw BoxError(status: status) }
        guard let found = result as? Result else { throw BoxError.itemNotFound }
        return found
    }

    static func contains(_ query: [String: AnyHashable]) -> OSStatus {
        SecItemCopyMatching(query as CFDictionary, nil)
    }

    static func add(_ attributes: [String: AnyHashable]) throws {
        let status = SecItemAdd(attributes as CFDictionary, nil)
        guard status == errSecSuccess else { throw BoxError(status: status) }
    }

    static func update(_ query: [String: AnyHashable], to changes: [String: AnyHashable]) throws {
        let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
        guard status == errSecSuccess else { throw BoxError(status: status) }
    }

    static func delete(_ query: [String: AnyHashable]) throws {
        var query = query
        #if os(macOS)
        // Without it macOS deletes one.
        query[kSecMatchLimit as String] = kSecMatchLimitAll as String
        #endif
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw BoxError(status: status) }
    }
}
