import Foundation
import Security
import Testing

@Suite("The spellings of a dictionary")
struct DictionarySpellingTests {
    /// Runs all four calls on a dictionary, however it was spelled.
    private func checkAllCalls(_ transport: Transport, with dictionary: CFDictionary) throws {
        try withKeychain(transport) {
            #expect(SecItemAdd(dictionary, nil) == errSecSuccess)
            #expect(SecItemAdd(dictionary, nil) == errSecDuplicateItem)
            #expect(SecItemCopyMatching(dictionary, nil) == errSecSuccess)
            try #expect(value(of: query()) == secret)
            #expect(SecItemUpdate(dictionary, dictionary) == errSecNoSuchAttr)
            #expect(SecItemUpdate(dictionary, [kSecAttrLabel: "x"] as CFDictionary) == errSecSuccess)
            #expect(SecItemDelete(dictionary) == errSecSuccess)
            #expect(SecItemDelete(dictionary) == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `String keys`(transport: Transport) throws {
        let dictionary: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "alice",
            kSecAttrService as String: "mail", kSecValueData as String: secret,
        ]
        try checkAllCalls(transport, with: dictionary as CFDictionary)
    }

    @Test(arguments: Transport.allCases)
    func `CFString keys`(transport: Transport) throws {
        let dictionary: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "alice", kSecAttrService: "mail",
            kSecValueData: secret,
        ]
        try checkAllCalls(transport, with: dictionary as CFDictionary)
    }

    @Test(arguments: Transport.allCases)
    func `NSString keys`(transport: Transport) throws {
        let dictionary: [NSString: Any] = [
            kSecClass: kSecClassGenericPassword, NSString(string: "acct"): NSString("alice"), "svce": "mail",
            kSecValueData: secret as NSData,
        ]
        try checkAllCalls(transport, with: dictionary as CFDictionary)
    }

    @Test(arguments: Transport.allCases)
    func `AnyObject values`(transport: Transport) throws {
        let dictionary: [String: AnyObject] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "alice" as NSString,
            kSecAttrService as String: "mail" as AnyObject, kSecValueData as String: secret as AnyObject,
        ]
        try checkAllCalls(transport, with: dictionary as CFDictionary)
    }

    @Test(arguments: Transport.allCases)
    func `AnyHashable keys`(transport: Transport) throws {
        let dictionary: [AnyHashable: Any] = [
            kSecClass: kSecClassGenericPassword, "acct": "alice", kSecAttrService as String: "mail",
            kSecValueData: secret,
        ]
        try checkAllCalls(transport, with: dictionary as CFDictionary)
    }

    @Test(arguments: Transport.allCases)
    func `a mutable dictionary`(transport: Transport) throws {
        let dictionary = NSMutableDictionary()
        dictionary[kSecClass] = kSecClassGenericPassword
        dictionary[kSecAttrAccount as String] = "alice"
        dictionary.setValue("mail", forKey: kSecAttrService as String)
        dictionary.setObject(secret, forKey: kSecValueData)
        try checkAllCalls(transport, with: dictionary)
    }

    @Test(arguments: Transport.allCases)
    func `a mutable dictionary with mutable strings and data`(transport: Transport) throws {
        let dictionary = NSMutableDictionary()
        dictionary[NSMutableString(string: "class")] = NSMutableString(string: "genp")
        dictionary[NSMutableString(string: "acct")] = NSMutableString(string: "alice")
        dictionary["svce"] = NSMutableString(string: "mail")
        dictionary["v_Data"] = NSMutableData(data: secret)
        try checkAllCalls(transport, with: dictionary)
    }

    @Test(arguments: Transport.allCases)
    func `an NSDictionary literal`(transport: Transport) throws {
        let dictionary: NSDictionary = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "alice", kSecAttrService: "mail",
            kSecValueData: secret,
        ]
        try checkAllCalls(transport, with: dictionary)
    }

    @Test(arguments: Transport.allCases)
    func `a literal in the call, with Apple's raw strings`(transport: Transport) throws {
        let dictionary = ["class": "genp", "acct": "alice", "svce": "mail", "v_Data": secret] as [String: Any]
        try checkAllCalls(transport, with: dictionary as CFDictionary)
    }

    @Test(arguments: Transport.allCases)
    func `optional values that are there`(transport: Transport) throws {
        let account: String? = "alice"
        let dictionary: [String: Any?] = ["class": "genp", "acct": account, "svce": "mail", "v_Data": secret]
        try checkAllCalls(transport, with: dictionary as CFDictionary)
    }

    @Test(arguments: Transport.allCases)
    func `slices of data and substrings of text`(transport: Transport) throws {
        let dictionary: [String: Any] = [
            "class": "genp", "acct": String("alice and bob".prefix(5)), "svce": "mail",
            "v_Data": Data("the secret".utf8).dropFirst(4),
        ]
        try checkAllCalls(transport, with: dictionary as CFDictionary)
    }

    @Test(arguments: Transport.allCases)
    func `a caller's dictionary is not changed and may change afterwards`(transport: Transport) throws {
        try withKeychain(transport) {
            let dictionary = NSMutableDictionary(dictionary: password())
            let before = NSDictionary(dictionary: password())
            SecItemAdd(dictionary, nil)
            #expect(dictionary == before)
            dictionary[kSecAttrAccount] = "bob"
            #expect(find(query(account: "alice")).status == errSecSuccess)
            #expect(SecItemCopyMatching(dictionary, nil) == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `functions are stored in variables of Apple's types`(transport: Transport) throws {
        let addItem: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemAdd
        let copyItem: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemCopyMatching
        let updateItem: (CFDictionary, CFDictionary) -> OSStatus = SecItemUpdate
        let deleteItem: (CFDictionary) -> OSStatus = SecItemDelete
        try withKeychain(transport) {
            #expect(addItem(password() as CFDictionary, nil) == errSecSuccess)
            var result: AnyObject?
            let status = withUnsafeMutablePointer(to: &result) {
                copyItem(query([kSecReturnData: true]) as CFDictionary, UnsafeMutablePointer($0))
            }
            #expect(status == errSecSuccess)
            #expect(result as? Data == secret)
            #expect(updateItem(query() as CFDictionary, [:] as CFDictionary) == errSecSuccess)
            #expect(deleteItem(query() as CFDictionary) == errSecSuccess)
        }
    }
}
