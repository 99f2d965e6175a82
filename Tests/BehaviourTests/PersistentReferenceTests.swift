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
                // The form of items on a token, of which there are none.
                Data("tkpr".utf8) + Data([0x30, 0]), Data("tkpr".utf8) + bytes.dropFirst(4),
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

    // MARK: - In every class

    /// Adds an item of a class and hands over its persistent reference.
    private func withReference(
        _ transport: Transport,
        to itemClass: EveryClass,
        _ body: (Data) throws -> Void
    ) throws {
        try withKeychain(transport) {
            itemClass.addItem()
            try body(try reference(of: itemClass.query()))
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a search by persistent reference takes no attribute of any class, and what is none`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withReference(transport, to: itemClass) { bytes in
            let item = try attributes(of: itemClass.query())
            for key in ["labl", "agrp", "pdmn", "accc", "cdat", "mdat", "sync", "tomb", "musr"] where item[key] != nil {
                #expect(find([kSecValuePersistentRef: bytes, key as CFString: item[key] as Any]).status == errSecParam)
            }
            let others: [(CFString, Any)] = [
                ("sync", true), ("agrp", "foreign"), ("alis", "x"), ("tkid", ""), ("vwht", ""), ("sysb", 0),
                ("sha1", Data(count: 20)), ("clip", true),
            ]
            for (key, value) in others {
                #expect(find([kSecValuePersistentRef: bytes, key: value]).status == errSecParam, "\(key)")
            }
            let accepted: [(CFString, Any)] = [
                (kSecClass, itemClass.name), ("nleg", true), ("sync", "syna"),
                (kSecReturnRef, true), (kSecMatchLimit, kSecMatchLimitAll), (kSecUseOperationPrompt, "Please"),
                (kSecValueData, Data()),
            ]
            for (key, value) in accepted {
                #expect(find([kSecValuePersistentRef: bytes, key: value]).status == errSecSuccess, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `an update and a deletion by persistent reference take attributes in every class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withReference(transport, to: itemClass) { bytes in
            let item: [CFString: Any] = [
                kSecValuePersistentRef: bytes, kSecAttrLabel: "x", kSecAttrSynchronizable: true,
            ]
            // An identity's reference is not taken by updates at all: errSecInternal, which is no public constant.
            #expect(update(item, [kSecAttrLabel: "y"]) == (itemClass == .identity ? -26276 : errSecSuccess))
            #expect(delete(item) == errSecSuccess)
            #expect(find(itemClass.query()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a reference of the old form is understood in every class and is no item's`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withReference(transport, to: itemClass) { _ in
            for row in UInt8(0)...3 {
                let bytes = Data(itemClass.name.utf8) + Data(count: 7) + [row]
                let old: [CFString: Any] = [kSecValuePersistentRef: bytes]
                for more in [[:], [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]] as [[CFString: Any]] {
                    #expect(find(old.merging(more) { $1 }).status == errSecItemNotFound)
                }
                #expect(update(old, [kSecAttrLabel: "x"]) == (itemClass == .identity ? -26276 : errSecItemNotFound))
                #expect(delete(old) == errSecItemNotFound)
                #expect(delete(itemClass.query(old.merging([kSecAttrLabel: "x"]) { $1 })) == errSecParam)
                let other: CFString = itemClass == .key ? kSecClassCertificate : kSecClassKey
                #expect(find(old.merging([kSecClass: other]) { $1 }).status == errSecNoSuchClass)
            }
            #expect(find(itemClass.query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a persistent reference is of no other class than its own`(transport: Transport, itemClass: EveryClass) throws
    {
        try withReference(transport, to: itemClass) { bytes in
            for other in EveryClass.allCases where other != itemClass {
                for call in [Call.find, .update, .delete] {
                    #expect(call(other.query([kSecValuePersistentRef: bytes])) == errSecNoSuchClass, "\(other)")
                }
                // Nor does the name of another class make it that class's.
                let renamed: [CFString: Any] = [kSecValuePersistentRef: Data(other.name.utf8) + bytes.dropFirst(4)]
                let isIdentity = [itemClass, other].contains(.identity) && [itemClass, other].contains(.certificate)
                // An identity's is its certificate's in all but the class.
                let status = isIdentity && itemClass == .identity ? errSecSuccess : errSecItemNotFound
                #expect(find(renamed).status == status, "\(other)")
            }
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `no item of any class is added under a persistent reference`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withReference(transport, to: itemClass) { bytes in
            #expect(add(itemClass.item([kSecValuePersistentRef: bytes])) == errSecParam)
            delete(itemClass.query())
            #expect(add(itemClass.item([kSecValuePersistentRef: bytes])) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a persistent reference is an attribute of no class`(transport: Transport, itemClass: EveryClass) throws {
        try withReference(transport, to: itemClass) { bytes in
            for call in Call.allCases {
                #expect(call(itemClass.item(["persistref": bytes.dropFirst(4)])) == errSecParam, "\(call)")
            }
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a persistent reference finds a synchronizable item of any class without asking for one`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withKeychain(transport) {
            itemClass.addItem(1, [kSecAttrSynchronizable: true])
            let bytes = try reference(of: itemClass.query([kSecAttrSynchronizable: true]))
            try #expect(value(of: [kSecValuePersistentRef: bytes]) == itemClass.data)
            #expect(delete([kSecValuePersistentRef: bytes]) == errSecSuccess)
        }
    }
}
