// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

/// Apple's sample of "Adding a Password to the Keychain" and the articles after it.
struct Credentials {
    var username: String
    var password: String
}

struct InternetPasswords {
    let server: String

    func add(_ credentials: Credentials) -> OSStatus {
        let password = credentials.password.data(using: String.Encoding.utf8)!
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword,
            kSecAttrAccount as String: credentials.username,
            kSecAttrServer as String: server,
            kSecAttrProtocol as String: kSecAttrProtocolHTTPS,
            kSecAttrAuthenticationType as String: kSecAttrAuthenticationTypeHTMLForm,
            kSecAttrPort as String: 443,
            kSecValueData as String: password,
        ]
        return SecItemAdd(query as CFDictionary, nil)
    }

    func find() -> Credentials? {
        let query: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword,
            kSecAttrServer: server,
            kSecMatchLimit: kSecMatchLimitOne,
            kSecReturnAttributes: kCFBooleanTrue!,
            kSecReturnData: kCFBooleanTrue!,
        ]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        guard status == errSecSuccess else { return nil }
        guard let existingItem = item as? [String: Any],
            let passwordData = existingItem[kSecValueData as String] as? Data,
            let password = String(data: passwordData, encoding: String.Encoding.utf8),
            let account = existingItem[kSecAttrAccount as String] as? String,
            existingItem[kSecAttrPort as String] as? Int == 443,
            existingItem[kSecAttrSynchronizable as String] as? Bool == false
        else { return nil }
        return Credentials(username: account, password: password)
    }

    func changePassword(_ password: String) -> OSStatus {
        let query = NSMutableDictionary()
        query[kSecClass] = kSecClassInternetPassword
        query.setValue(server, forKey: kSecAttrServer as String)
        let attributes: NSDictionary = [kSecValueData: password.data(using: .utf8)!]
        return SecItemUpdate(query, attributes)
    }

    func delete() -> OSStatus {
        let query: NSDictionary = [kSecClass: kSecClassInternetPassword, kSecAttrServer: server]
        return SecItemDelete(query)
    }
}
