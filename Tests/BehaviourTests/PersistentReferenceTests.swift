import Foundation
import Security
import Testing

@Suite("Persistent references")
struct PersistentReferenceTests {
    /// Adds a password and hands over its persistent reference.
    private func withReference(_ transport: Transport, _ body: (Data) throws -> Void) throws {
        try withKeychain(transport) {
            add(password())
            try body(try reference(of: query()))
        }
    }

    // MARK: - What it finds

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a persistent reference finds its item, with and without the class`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            add(itemClass.item(account: "alice"))
            add(itemClass.item(account: "bob", [kSecValueData: Data("other".utf8)]))
            let bytes = try reference(of: itemClass.query([kSecAttrAccount: "bob"]))
            try #expect(value(of: [kSecValuePersistentRef: bytes]) == Data("other".utf8))
            try #expect(value(of: itemClass.query([kSecValuePersistentRef: bytes])) == Data("other".utf8))
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference returns whatever is asked for`(transport: Transport) throws {
        try withReference(transport) { bytes in
            let item: [CFString: Any] = [kSecValuePersistentRef: bytes]
            #expect(find(item).status == errSecSuccess)
            try #expect(attributes(of: item)["acct"] as? String == "alice")
            try #expect(reference(of: item) == bytes)
            let all = find(item.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]) { $1 })
            #expect(all.result as? [Data] == [secret])
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference finds a synchronizable item without asking for one`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password([kSecAttrSynchronizable: true]))
            let bytes = try reference(of: query([kSecAttrSynchronizable: true]))
            try #expect(value(of: [kSecValuePersistentRef: bytes]) == secret)
            #expect(update([kSecValuePersistentRef: bytes], [kSecAttrLabel: "x"]) == errSecSuccess)
            #expect(delete([kSecValuePersistentRef: bytes]) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference updates and deletes its item alone`(transport: Transport) throws {
        try withReference(transport) { bytes in
            add(password(account: "bob"))
            #expect(update([kSecValuePersistentRef: bytes], [kSecAttrLabel: "changed"]) == errSecSuccess)
            try #expect(accounts(of: genericPasswords([kSecAttrLabel: "changed"])) == ["alice"])
            #expect(delete([kSecValuePersistentRef: bytes]) == errSecSuccess)
            try #expect(accounts(of: genericPasswords()) == ["bob"])
        }
    }

    // MARK: - For how long

    @Test(arguments: Transport.allCases)
    func `a persistent reference stays the same whatever changes`(transport: Transport) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            add(password())
            let bytes = try reference(of: query())
            let changes: [[CFString: Any]] = [
                [kSecValueData: Data("new".utf8)], [kSecAttrLabel: "x"], [kSecAttrAccount: "bob"],
                [kSecAttrService: "chat"], [kSecAttrAccessGroup: "second"], [kSecAttrAccessible: "ck"],
                [kSecAttrSynchronizable: true],
            ]
            for change in changes {
                #expect(update([kSecValuePersistentRef: bytes], change) == errSecSuccess)
                try #expect(reference(of: [kSecValuePersistentRef: bytes]) == bytes)
            }
            let found = genericPasswords([kSecAttrAccount: "bob", kSecAttrSynchronizable: true])
            try #expect(reference(of: found) == bytes)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference is not given again after its item is deleted`(transport: Transport) throws {
        try withReference(transport) { bytes in
            delete(query())
            add(password())
            #expect(find([kSecValuePersistentRef: bytes]).status == errSecItemNotFound)
            try #expect(reference(of: query()) != bytes)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference of a deleted item is not found`(transport: Transport) throws {
        try withReference(transport) { bytes in
            delete([kSecValuePersistentRef: bytes])
            #expect(find([kSecValuePersistentRef: bytes]).status == errSecItemNotFound)
            #expect(update([kSecValuePersistentRef: bytes], [:]) == errSecItemNotFound)
            #expect(delete([kSecValuePersistentRef: bytes]) == errSecItemNotFound)
        }
    }

    // MARK: - Beside other keys

    @Test(arguments: Transport.allCases)
    func `a search by persistent reference takes no other attribute`(transport: Transport) throws {
        let others: [CFString: Any] = [
            kSecAttrAccount: "alice", kSecAttrService: "mail", kSecAttrLabel: "x", kSecAttrAccessGroup: "test.default",
            kSecAttrSynchronizable: true, kSecAttrAccessible: "ak",
        ]
        try withReference(transport) { bytes in
            for (key, value) in others {
                #expect(find([kSecValuePersistentRef: bytes, key: value]).status == errSecParam, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a search by persistent reference takes the class, the wildcard and what is not an attribute`(
        transport: Transport
    ) throws {
        let others: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrSynchronizable: kSecAttrSynchronizableAny,
            kSecUseDataProtectionKeychain: true, kSecMatchLimit: kSecMatchLimitOne, kSecReturnData: true,
            kSecUseOperationPrompt: "Please",
        ]
        try withReference(transport) { bytes in
            for (key, value) in others {
                #expect(find([kSecValuePersistentRef: bytes, key: value]).status == errSecSuccess, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update and a deletion by persistent reference take attributes too`(transport: Transport) throws {
        try withReference(transport) { bytes in
            let item = query([kSecValuePersistentRef: bytes, kSecAttrAccessGroup: "test.default"])
            #expect(update(item, [kSecAttrLabel: "x"]) == errSecSuccess)
            #expect(delete(item) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `where a persistent reference and attributes disagree, the reference counts`(transport: Transport) throws {
        try withReference(transport) { bytes in
            add(password(account: "bob"))
            let other = query(account: "bob", [kSecValuePersistentRef: bytes, kSecAttrSynchronizable: true])
            #expect(update(other, [kSecAttrLabel: "changed"]) == errSecSuccess)
            try #expect(accounts(of: genericPasswords([kSecAttrLabel: "changed"])) == ["alice"])
            #expect(delete(other) == errSecSuccess)
            try #expect(accounts(of: genericPasswords()) == ["bob"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `attributes beside a persistent reference still have to be those of the class`(transport: Transport) throws {
        try withReference(transport) { bytes in
            let item: [CFString: Any] = [kSecValuePersistentRef: bytes, kSecAttrServer: "example.com"]
            #expect(update(item, [:]) == errSecNoSuchAttr)
            #expect(delete(item) == errSecNoSuchAttr)
        }
    }

    // MARK: - The class

    @Test(arguments: Transport.allCases, [Call.find, .update, .delete])
    func `a class that is not the reference's is no such class`(transport: Transport, call: Call) throws {
        let classes: [Any] = [
            kSecClassInternetPassword, kSecClassCertificate, kSecClassKey, "apls", 7, Data("genp".utf8), NSNull(),
        ]
        try withReference(transport) { bytes in
            for other in classes {
                let item: [CFString: Any] = [kSecClass: other, kSecValuePersistentRef: bytes]
                #expect(call(item) == errSecNoSuchClass, "\(other)")
            }
            #expect(find(query()).status == errSecSuccess)
        }
    }

    // MARK: - What is none

    @Test(arguments: Transport.allCases, [Call.find, .update, .delete])
    func `what is no persistent reference is an error`(transport: Transport, call: Call) throws {
        try withReference(transport) { bytes in
            let values: [Any] = [
                Data(), Data("genp".utf8), bytes.dropLast(), bytes + [0], Data("xxxx".utf8) + bytes.dropFirst(4),
                Data("apls".utf8) + bytes.dropFirst(4), Data(count: 20), "genp", 7, true, NSNull(), [bytes],
            ]
            for value in values {
                #expect(call([kSecClass: kSecClassGenericPassword, kSecValuePersistentRef: value]) == errSecParam)
                #expect(call([kSecValuePersistentRef: value]) == errSecParam, "\(value)")
            }
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a reference of the old form is understood and is no item's`(transport: Transport) throws {
        try withReference(transport) { _ in
            for row in UInt8(0)...3 {
                let old: [CFString: Any] = [kSecValuePersistentRef: Data("genp".utf8) + Data(count: 7) + [row]]
                #expect(find(old).status == errSecItemNotFound)
                #expect(update(old, [kSecAttrLabel: "x"]) == errSecItemNotFound)
                #expect(delete(old) == errSecItemNotFound)
            }
            try #expect(attributes(of: query())["labl"] == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion by a reference of the old form takes no attributes`(transport: Transport) throws {
        try withReference(transport) { _ in
            let old = Data("genp".utf8) + Data(count: 8)
            #expect(delete(query([kSecValuePersistentRef: old])) == errSecParam)
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a persistent reference is no attribute`(transport: Transport, call: Call) throws {
        try withReference(transport) { bytes in
            #expect(call(password(["persistref": bytes])) == errSecParam)
        }
    }
}
