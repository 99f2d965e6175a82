import Foundation
import Security
import Testing

@Suite("Changing passwords")
struct UpdateTests {
    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a new value replaces the old one`(transport: Transport, itemClass: PasswordClass) throws {
        try withKeychain(transport) {
            add(itemClass.item())
            #expect(update(itemClass.query, [kSecValueData: Data("new".utf8)]) == errSecSuccess)
            try #expect(value(of: itemClass.query) == Data("new".utf8))
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `what an update does not name stays`(transport: Transport, itemClass: PasswordClass) throws {
        try withKeychain(transport) {
            add(itemClass.item([kSecAttrLabel: "label", kSecAttrComment: "comment"]))
            #expect(update(itemClass.query, [kSecAttrLabel: "new"]) == errSecSuccess)
            let item = try attributes(of: itemClass.query)
            #expect(item["labl"] as? String == "new")
            #expect(item["icmt"] as? String == "comment")
            #expect(item["acct"] as? String == "alice")
            try #expect(value(of: itemClass.query) == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update can give an attribute and a value to an item that had none`(transport: Transport) throws {
        try withKeychain(transport) {
            add(query())
            #expect(update(query(), [kSecAttrLabel: "label", kSecValueData: secret]) == errSecSuccess)
            try #expect(attributes(of: query())["labl"] as? String == "label")
            try #expect(value(of: query()) == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a value can be changed to an empty one`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(update(query(), [kSecValueData: Data()]) == errSecSuccess)
            try #expect(value(of: query()) == Data())
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update of nothing is not found`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "bob"))
            #expect(update(query(), [kSecAttrLabel: "x"]) == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update changes all items that match and no other`(transport: Transport) throws {
        try withKeychain(transport) {
            for account in ["alice", "bob", "carol"] { add(password(account: account)) }
            add(password(account: "dave", service: "chat"))
            #expect(update(genericPasswords([kSecAttrService: "mail"]), [kSecAttrLabel: "changed"]) == errSecSuccess)
            try #expect(accounts(of: genericPasswords([kSecAttrLabel: "changed"])) == ["alice", "bob", "carol"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `every attribute of a password can be changed`(transport: Transport) throws {
        let changes: [CFString: Any] = [
            kSecAttrAccount: "bob", kSecAttrLabel: Data([1]), kSecAttrDescription: "kind", kSecAttrComment: "comment",
            kSecAttrCreator: 1, kSecAttrType: 2, kSecAttrIsInvisible: 1, kSecAttrIsNegative: 0,
            kSecAttrAccessible: "ck", kSecAttrSynchronizable: 1, kSecAttrCreationDate: Date(timeIntervalSince1970: 5),
            "scrp": 1, "cusi": 1, "prot": "p", "alis": "a", "vwht": "v", "sysb": 1,
        ]
        let internet: [CFString: Any] = [
            kSecAttrServer: "example.org", kSecAttrSecurityDomain: "d", kSecAttrProtocol: "htps",
            kSecAttrAuthenticationType: "form", kSecAttrPort: 8443, kSecAttrPath: "/new",
        ]
        let generic: [CFString: Any] = [kSecAttrService: "chat", kSecAttrGeneric: Data([9])]
        try withKeychain(transport) {
            for (itemClass, more) in [(PasswordClass.generic, generic), (.internet, internet)] {
                add(itemClass.item())
                let all = changes.merging(more) { old, _ in old }
                #expect(update(itemClass.query, all) == errSecSuccess)
                let query = itemClass.query([kSecAttrSynchronizable: kSecAttrSynchronizableAny])
                let item = try attributes(of: query) as NSDictionary
                for (key, value) in all {
                    #expect(CFEqual(item.object(forKey: key) as CFTypeRef?, value as CFTypeRef), "\(key)")
                }
                try #expect(value(of: query) == secret)
            }
        }
    }

    // MARK: - The primary key

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `an item can be renamed, and is no longer found under its old name`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            add(itemClass.item())
            #expect(update(itemClass.query, [kSecAttrAccount: "bob"]) == errSecSuccess)
            #expect(find(itemClass.query([kSecAttrAccount: "alice"])).status == errSecItemNotFound)
            try #expect(value(of: itemClass.query([kSecAttrAccount: "bob"])) == secret)
            #expect(add(itemClass.item()) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `an item renamed to one that exists is a duplicate and changes nothing`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            add(itemClass.item(account: "alice"))
            add(itemClass.item(account: "bob"))
            let before = try allAttributes(of: itemClass.query) as NSArray
            let changes: [CFString: Any] = [kSecAttrAccount: "bob", kSecAttrLabel: "x"]
            #expect(update(itemClass.query([kSecAttrAccount: "alice"]), changes) == errSecDuplicateItem)
            try #expect(CFEqual(allAttributes(of: itemClass.query) as NSArray, before))
        }
    }

    @Test(arguments: Transport.allCases)
    func `several items renamed to one name are a duplicate and none changes`(transport: Transport) throws {
        try withKeychain(transport) {
            for account in ["alice", "bob", "carol"] { add(password(account: account)) }
            #expect(update(genericPasswords(), [kSecAttrAccount: "dave"]) == errSecDuplicateItem)
            try #expect(accounts(of: genericPasswords()) == ["alice", "bob", "carol"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update of several items of which the last fails changes none`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "alice", service: "a"))
            add(password(account: "alice", service: "b"))
            add(password(account: "bob", service: "b"))
            let status = update(genericPasswords([kSecAttrAccount: "alice"]), [kSecAttrAccount: "bob"])
            #expect(status == errSecDuplicateItem)
            try #expect(accounts(of: genericPasswords()) == ["alice", "alice", "bob"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update to the name that an item has is no duplicate`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let same: [CFString: Any] = [kSecAttrAccount: "alice", kSecAttrService: "mail", kSecAttrLabel: "x"]
            #expect(update(query(), same) == errSecSuccess)
            try #expect(attributes(of: query())["labl"] as? String == "x")
        }
    }

    @Test(arguments: Transport.allCases)
    func `a name can be stored as data in place of text, and stays the same item`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(update(query(), [kSecAttrAccount: Data("alice".utf8)]) == errSecSuccess)
            try #expect(attributes(of: query())["acct"] as? Data == Data("alice".utf8))
            #expect(add(password()) == errSecDuplicateItem)
        }
    }

    // MARK: - Dates

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `an update moves the modification date and leaves the creation date`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            add(itemClass.item())
            let before = try attributes(of: itemClass.query)
            #expect(update(itemClass.query, [kSecAttrLabel: "x"]) == errSecSuccess)
            let after = try attributes(of: itemClass.query)
            #expect(after["cdat"] as? Date == before["cdat"] as? Date)
            #expect(try #require(after["mdat"] as? Date) > #require(before["mdat"] as? Date))
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update with no changes succeeds and moves the modification date alone`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            var before = try attributes(of: query())
            #expect(update(query(), [:]) == errSecSuccess)
            var after = try attributes(of: query())
            let old = try #require(before.removeValue(forKey: "mdat") as? Date)
            let new = try #require(after.removeValue(forKey: "mdat") as? Date)
            #expect(new > old)
            #expect(after as NSDictionary == before as NSDictionary)
            try #expect(value(of: query()) == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update with no changes of nothing is not found`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(update(query(), [:]) == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the modification date grows with every update, however fast they follow`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            var last = try #require(try attributes(of: query())["mdat"] as? Date)
            for number in 0..<20 {
                #expect(update(query(), [kSecAttrCreator: number]) == errSecSuccess)
                let next = try #require(try attributes(of: query())["mdat"] as? Date)
                #expect(next > last)
                last = next
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a modification date in an update is ignored`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(update(query(), [kSecAttrModificationDate: Date.distantFuture]) == errSecSuccess)
            let date = try #require(try attributes(of: query())["mdat"] as? Date)
            #expect(date < Date(timeIntervalSinceNow: 3600))
        }
    }

    @Test(arguments: Transport.allCases)
    func `a creation date in an update is stored`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let date = Date(timeIntervalSince1970: 1_000_000)
            #expect(update(query(), [kSecAttrCreationDate: date]) == errSecSuccess)
            try #expect(attributes(of: query())["cdat"] as? Date == date)
        }
    }

    // MARK: - What an update does not take

    @Test(arguments: Transport.allCases)
    func `an update sets attributes and the value alone`(transport: Transport) throws {
        let changes: [(CFString, Any, OSStatus)] = [
            (kSecClass, kSecClassGenericPassword, errSecNoSuchAttr), (kSecReturnData, true, errSecNoSuchAttr),
            (kSecReturnData, false, errSecNoSuchAttr), (kSecReturnAttributes, true, errSecNoSuchAttr),
            (kSecMatchLimit, kSecMatchLimitAll, errSecNoSuchAttr), (kSecMatchCaseInsensitive, true, errSecNoSuchAttr),
            (kSecUseOperationPrompt, "x", errSecNoSuchAttr), (kSecUseItemList, [Data()], errSecNoSuchAttr),
            ("u_CredRef", "x", errSecNoSuchAttr), ("u_Tomb", true, errSecNoSuchAttr),
            (kSecAttrPort, 1, errSecNoSuchAttr), (kSecAttrApplicationTag, "x", errSecNoSuchAttr),
            ("nope", 1, errSecNoSuchAttr), ("a long key of no kind", 1, errSecNoSuchAttr),
            (kSecValuePersistentRef, Data(), errSecParam), (kSecValueRef, NSObject(), errSecParam),
            ("v_Unknown", 1, errSecParam),
        ]
        try withKeychain(transport) {
            add(password())
            for (key, value, status) in changes {
                #expect(update(query(), [key: value, kSecAttrLabel: "x"]) == status, "\(key)")
            }
            try #expect(attributes(of: query())["labl"] == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a change without a value or of a wrong type is an error and changes nothing`(transport: Transport) throws {
        let changes: [(CFString, Any)] = [
            (kSecAttrLabel, NSNull()), (kSecValueData, NSNull()), (kSecValueData, "text"), (kSecValueData, 1),
            (kSecAttrLabel, [1]), (kSecAttrCreationDate, "now"), (kSecAttrModificationDate, 7),
            (kSecAttrAccessible, "nope"), (kSecAttrAccessControl, "ak"), (kSecAttrSynchronizable, "syna"),
            (kSecAttrCreator, Data([1])), (kSecAttrAccessGroup, 1), ("ggrp", "group"),
            ("tomb", true),
        ]
        try withKeychain(transport) {
            add(password())
            for (key, value) in changes {
                #expect(update(query(), [key: value, kSecAttrComment: "x"]) == errSecParam, "\(key): \(value)")
            }
            try #expect(attributes(of: query())["icmt"] == nil)
            try #expect(value(of: query()) == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the multi-user attribute and the data protection key in an update are ignored`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let ignored: [CFString: Any] = ["musr": Data(count: 16), kSecUseDataProtectionKeychain: true]
            #expect(update(query(), ignored) == errSecSuccess)
            try #expect(attributes(of: query())["musr"] as? Data == Data())
        }
    }

    @Test(arguments: Transport.allCases)
    func `an invalid change is an error whether or not an item matches`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(update(query(), [kSecClass: kSecClassGenericPassword]) == errSecNoSuchAttr)
            #expect(update(query(), [kSecValueData: "text"]) == errSecParam)
        }
    }

    @Test(
        arguments: Transport.allCases,
        [
            "m_CaseInsensitive", "m_SearchList", "m_TrustedOnly", "m_Issuers", "m_Policy", "m_Unheard",
            "m_HostOrSubdomainOfHost", "m_ItemList",
        ]
    )
    func `a match key in an update's query is an error`(transport: Transport, key: String) throws {
        try withKeychain(transport) {
            add(password())
            #expect(update(query([key as CFString: "x"]), [kSecAttrLabel: "x"]) == errSecParam)
            try #expect(attributes(of: query())["labl"] == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a limit says how many of the items that match an update changes`(transport: Transport) throws {
        try withKeychain(transport) {
            for account in ["alice", "bob", "carol"] { add(password(account: account)) }
            let changed = genericPasswords([kSecAttrLabel: "x"])
            #expect(
                update(genericPasswords([kSecMatchLimit: kSecMatchLimitOne]), [kSecAttrLabel: "x"]) == errSecSuccess
            )
            try #expect(accounts(of: changed).count == 1)
            #expect(update(genericPasswords([kSecMatchLimit: 0]), [kSecAttrLabel: "y"]) == errSecItemNotFound)
            #expect(
                update(genericPasswords([kSecMatchLimit: kSecMatchLimitAll]), [kSecAttrLabel: "x"]) == errSecSuccess
            )
            try #expect(accounts(of: changed).count == 3)
        }
    }

    @Test(arguments: Transport.allCases)
    func `what only the service sets is no change`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            for key in ["clip", "tomb"] {
                #expect(update(query(), [key as CFString: 1]) == errSecParam, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases, ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"])
    func `a return key in an update's query is an error if it is true`(transport: Transport, key: String) throws {
        try withKeychain(transport) {
            add(password())
            #expect(update(query([key as CFString: true]), [kSecAttrLabel: "x"]) == errSecParam)
            #expect(update(query([key as CFString: kCFBooleanFalse!]), [kSecAttrLabel: "x"]) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item list, and hiding what asks the person, are errors in an update`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let skip = kSecUseAuthenticationUISkip
            #expect(update(query([kSecUseItemList: [Data()]]), [kSecAttrLabel: "x"]) == errSecParam)
            #expect(update(query([kSecUseAuthenticationUI: skip]), [kSecAttrLabel: "x"]) == errSecParam)
            #expect(
                update(query([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]), [kSecAttrLabel: "x"])
                    == errSecSuccess
            )
        }
    }

    @Test(arguments: Transport.allCases)
    func `the value in an update's query is no filter`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let status = update(query([kSecValueData: Data("other".utf8)]), [kSecValueData: Data("new".utf8)])
            #expect(status == errSecSuccess)
            try #expect(value(of: query()) == Data("new".utf8))
        }
    }

    // MARK: - What is secret beside the value

    @Test(arguments: Transport.allCases)
    func `the extra data of an internet password is changed by its name, and stays when the value is changed`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(website(["binn": Data("notes".utf8), "bin0": Data("zero".utf8)]))
            let returns: [CFString: Any] = [kSecReturnAttributes: true, kSecReturnData: true]
            #expect(update(internetPasswords(), [kSecValueData: Data("new".utf8)]) == errSecSuccess)
            #expect(update(internetPasswords(), ["bin0": Data("one".utf8)]) == errSecSuccess)
            let item = try #require(find(internetPasswords(returns)).result as? [String: Any])
            #expect(item["binn"] as? Data == Data("notes".utf8))
            #expect(item["bin0"] as? Data == Data("one".utf8))
            #expect(item["v_Data"] as? Data == Data("new".utf8))
        }
    }

    @Test(arguments: Transport.allCases)
    func `the extra data of an internet password is no filter, and no other class has it`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(website(["binn": Data("notes".utf8)]))
            for key in ["binn", "bini", "bin0", "bin1", "bin2", "bin3"] as [CFString] {
                #expect(find(internetPasswords([key: Data("other".utf8)])).status == errSecSuccess, "\(key)")
                for itemClass in EveryClass.allCases where itemClass != .internetPassword {
                    #expect(find(itemClass.query([key: Data()])).status == errSecNoSuchAttr, "\(key)")
                }
            }
        }
    }
}
