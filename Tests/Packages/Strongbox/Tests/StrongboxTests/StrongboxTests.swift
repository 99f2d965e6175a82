import Foundation
import Strongbox
import Testing

/// One after another: there is one keychain.
@Suite(.serialized)
struct StrongboxTests {
    private let name: Identifier

    init() throws {
        name = try #require(Identifier(nonEmpty: "tests"))
        SecItemDelete(
            [kSecClass: kSecClassGenericPassword, kSecAttrSynchronizable: kSecAttrSynchronizableAny] as CFDictionary
        )
    }

    @Test func `names are not empty`() {
        #expect(Identifier(nonEmpty: "") == nil)
        #expect(Identifier(nonEmpty: nil) == nil)
        #expect(SharedGroupIdentifier(appIDPrefix: "", nonEmptyGroup: "group") == nil)
    }

    @Test(arguments: Accessibility.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly })
    func `a string is kept and changed, and a key that was removed is not found`(_ accessibility: Accessibility) throws
    {
        let box = Strongbox.box(with: name, accessibility: accessibility)
        #expect(box.canAccessKeychain())
        try box.setString("first", forKey: "alice")
        try box.setString("second", forKey: "alice")
        #expect(try box.string(forKey: "alice") == "second")
        #expect(try box.containsObject(forKey: "alice"))
        try box.removeObject(forKey: "alice")
        #expect(throws: BoxError.itemNotFound) { try box.string(forKey: "alice") }
        #expect(try !box.containsObject(forKey: "alice"))
        #expect(try box.allKeys().isEmpty)
    }

    @Test func `removing all empties one box and no other`() throws {
        let box = Strongbox.box(with: name, accessibility: .whenUnlocked)
        let other = Strongbox.box(with: name, accessibility: .afterFirstUnlock)
        for key in ["alice", "bob", "carol"] {
            try box.setString(key, forKey: key)
            try other.setString(key, forKey: key)
        }
        #expect(try box.allKeys() == ["alice", "bob", "carol"])
        try box.removeAllObjects()
        #expect(try box.allKeys().isEmpty)
        #expect(try other.allKeys() == ["alice", "bob", "carol"])
        try box.removeAllObjects()
    }

    @Test func `a synchronized box may be of this device only`() throws {
        let box = Strongbox.synchronizedBox(with: name, accessibility: .whenUnlockedThisDeviceOnly)
        try box.setString("value", forKey: "alice")
        #expect(try box.string(forKey: "alice") == "value")
        #expect(try box.allKeys() == ["alice"])
        #expect(try Strongbox.box(with: name, accessibility: .whenUnlockedThisDeviceOnly).allKeys().isEmpty)
    }

    @Test func `a shared box has a group of its own, which needs no entitlements`() throws {
        let group = try #require(SharedGroupIdentifier(appIDPrefix: "AB12CD34EF", nonEmptyGroup: "shared"))
        let box = Strongbox.sharedBox(with: group, accessibility: .afterFirstUnlock)
        try box.setString("value", forKey: "alice")
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll,
            kSecAttrAccessGroup: group.description,
        ]
        var found: CFTypeRef?
        #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
        let items = try #require(found as? [[String: Any]])
        #expect(items.map { $0[kSecAttrAccessGroup as String] as? String } == ["AB12CD34EF.shared"])
        try box.removeAllObjects()
        #expect(try box.allKeys().isEmpty)
    }

    @Test func `boxes with one name are one box`() throws {
        let box = Strongbox.box(with: name, accessibility: .whenUnlocked)
        #expect(box == Strongbox.box(with: name, accessibility: .whenUnlocked))
        #expect(box != Strongbox.box(with: name, accessibility: .afterFirstUnlock))
        try box.setString("value", forKey: "alice")
        #expect(try Strongbox.box(with: name, accessibility: .whenUnlocked).string(forKey: "alice") == "value")
    }

    @Test func `what another wrapper kept moves in`() throws {
        for account in ["alice", "bob"] {
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "old", kSecAttrAccount: account,
                kSecValueData: Data(account.utf8),
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
        }
        let box = Strongbox.box(with: name, accessibility: .whenUnlocked)
        let old: [String: AnyHashable] = [
            kSecClass as String: kSecClassGenericPassword as String, kSecAttrService as String: "old",
        ]
        try box.migrateObjects(matching: old, removeOnCompletion: true)
        #expect(try box.allKeys() == ["alice", "bob"])
        #expect(try box.string(forKey: "bob") == "bob")
        #expect(SecItemCopyMatching(old as CFDictionary, nil) == errSecItemNotFound)
    }

    @Test func `an empty key and an empty value are refused`() {
        let box = Strongbox.box(with: name, accessibility: .whenUnlocked)
        #expect(throws: BoxError.emptyKey) { try box.setString("value", forKey: "") }
        #expect(throws: BoxError.emptyValue) { try box.setString("", forKey: "alice") }
    }
}
