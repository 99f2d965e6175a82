import Foundation
import Security

// The second of two apps of a team: it finds the password that the first one has stored, and changes it. Not a line of
// it is for Linux.

let query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrAccessGroup as String: "EXAMPLE001.shared",
    kSecAttrService as String: "mail.example.com",
    kSecAttrAccount as String: "alice",
]

var item: CFTypeRef?
let found = SecItemCopyMatching(query.merging([kSecReturnData as String: true]) { $1 } as CFDictionary, &item)
guard found == errSecSuccess, let data = item as? Data else {
    print("calendar: no password: \(found)")
    exit(1)
}
print("calendar: found alice's password: \(String(decoding: data, as: UTF8.self))")

let changed = SecItemUpdate(query as CFDictionary, [kSecValueData as String: Data("changed".utf8)] as CFDictionary)
guard changed == errSecSuccess else {
    print("calendar: the password stays as it is: \(changed)")
    exit(1)
}
print("calendar: changed it")
