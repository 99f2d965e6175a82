import Foundation
import Security

// The first of two apps of a team: it stores the password of an account where the team's other apps find it. Not a line
// of it is for Linux.

let attributes: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrAccessGroup as String: "EXAMPLE001.shared",
    kSecAttrService as String: "mail.example.com",
    kSecAttrAccount as String: "alice",
    kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
    kSecValueData as String: Data("correct horse battery staple".utf8),
]
let status = SecItemAdd(attributes as CFDictionary, nil)
guard status == errSecSuccess else {
    print("mail: nothing stored: \(status)")
    exit(1)
}
print("mail: stored alice's password in the shared group")
