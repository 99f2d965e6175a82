import Foundation

// No file of this target imports Security: the plugin ImportSecurity does it for all of them.
let item: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword,
    kSecAttrAccount: "alice",
    kSecValueData: Data("secret".utf8),
]
let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "alice", kSecReturnData: true]

var result: CFTypeRef?
guard SecItemAdd(item as CFDictionary, nil) == errSecSuccess,
    SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
    result as? Data == Data("secret".utf8)
else {
    print("NOT OK: the password that was added is not found")
    exit(1)
}
print("all is well")
