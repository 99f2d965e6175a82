// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

var failures = 0

func check(_ condition: Bool, _ what: String) {
    print(condition ? "ok" : "NOT OK", what)
    if !condition { failures += 1 }
}

// A wrapper class.
let keychain = KeychainManager.shared
check(keychain["token"] == nil, "an empty keychain")
keychain["token"] = "abc"
check(keychain["token"] == "abc", "save")
keychain["token"] = "def"
check(keychain["token"] == "def", "update")
keychain["other"] = "🔑"
check((try? keychain.accounts()) == ["other", "token"], "list")
do {
    try keychain.save(Data(), account: "token")
    check(false, "duplicate")
} catch KeychainError.duplicateItem {
    check(true, "duplicate")
} catch {
    check(false, "duplicate: \(error)")
}
keychain["token"] = nil
check((try? keychain.accounts()) == ["other"], "delete")
keychain.deleteAll()
check((try? keychain.accounts()) == [], "delete all")
check(KeychainError.unhandled(status: errSecItemNotFound).localizedDescription.count > 10, "a message")

// Apple's articles.
let passwords = InternetPasswords(server: "www.example.com")
check(passwords.add(Credentials(username: "alice", password: "secret")) == errSecSuccess, "add")
check(passwords.add(Credentials(username: "alice", password: "secret")) == errSecDuplicateItem, "add again")
check(passwords.find()?.password == "secret", "find")
check(passwords.changePassword("new") == errSecSuccess, "change")
check(passwords.find()?.password == "new", "find what changed")
check(passwords.delete() == errSecSuccess, "delete")
check(passwords.find() == nil, "find nothing")

// Functions as values, as in wrappers that are tested with other ones.
struct SecItemFunctions {
    var add: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemAdd
    var copy: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemCopyMatching
    var update: (CFDictionary, CFDictionary) -> OSStatus = SecItemUpdate
    var delete: (CFDictionary) -> OSStatus = SecItemDelete
}
let functions = SecItemFunctions()
let note: [String: AnyObject] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrAccount as String: "note" as NSString,
    kSecAttrGeneric as String: Data([1, 2, 3]) as NSData,
    kSecValueData as String: "text".data(using: .utf8)! as CFData,
    kSecReturnPersistentRef as String: kCFBooleanTrue,
]
var reference: CFTypeRef?
check(functions.add(note as CFDictionary, &reference) == noErr, "add through a variable")
check(CFGetTypeID(reference!) == CFDataGetTypeID(), "a persistent reference is data")
let persistent = reference as! CFData
var text: AnyObject?
let byReference: [NSString: Any] = [kSecValuePersistentRef: persistent, kSecReturnData: true]
check(functions.copy(byReference as CFDictionary, &text) == errSecSuccess, "copy through a variable")
check((text as? NSData)?.length == 4 && (text as! Data) == Data("text".utf8), "data in both spellings")
check(
    functions.update([kSecValuePersistentRef: persistent] as CFDictionary, [kSecAttrLabel: "x"] as CFDictionary)
        == errSecSuccess,
    "update through a variable"
)
check(functions.delete([kSecClass: kSecClassGenericPassword] as CFDictionary) == errSecSuccess, "delete")

// Access control.
var accessError: Unmanaged<CFError>?
if let access = SecAccessControlCreateWithFlags(
    kCFAllocatorDefault,
    kSecAttrAccessibleWhenUnlocked,
    [.biometryCurrentSet, .or, .devicePasscode],
    &accessError
) {
    check(CFGetTypeID(access) == SecAccessControlGetTypeID(), "an access control")
} else {
    let error = accessError!.takeRetainedValue() as Error
    check(false, "an access control: \(error)")
}
if SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [.or, .and], &accessError) == nil {
    let error = accessError!.takeRetainedValue() as Error
    check((error as NSError).code == Int(errSecParam), "a refused access control")
}

// Random bytes and messages.
var bytes = [UInt8](repeating: 0, count: 32)
check(SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess, "random bytes")
check(Set(bytes).count > 1, "bytes that differ")
var randomData = Data(count: 32)
let result = randomData.withUnsafeMutableBytes { SecRandomCopyBytes(kSecRandomDefault, 32, $0.baseAddress!) }
check(result == errSecSuccess && randomData != Data(count: 32), "random data")
if let message = SecCopyErrorMessageString(errSecDuplicateItem, nil) {
    check((message as String).isEmpty == false, "a message for a status")
}

checkStores()
checkDeviceOwner()
checkPinning()
do {
    try deviceKeys()
    try keysAsData()
    try identities()
} catch {
    check(false, "keys: \(error.localizedDescription)")
}

print(failures == 0 ? "all is well" : "\(failures) failed")
exit(failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
