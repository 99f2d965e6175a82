import Foundation
import Security
import Testing

@Suite("Adding a password")
struct AddTests {
    // MARK: - What makes an item unique

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `an added item is found with its value`(transport: Transport, itemClass: PasswordClass) throws {
        try withKeychain(transport) {
            #expect(add(itemClass.item()) == errSecSuccess)
            try #expect(value(of: itemClass.query) == secret)
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `an item whose primary key is taken is a duplicate and changes nothing`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            add(itemClass.item([kSecAttrLabel: "old"]))
            #expect(add(itemClass.item([kSecAttrLabel: "new", kSecValueData: Data("x".utf8)])) == errSecDuplicateItem)
            try #expect(value(of: itemClass.query) == secret)
            try #expect(attributes(of: itemClass.query)["labl"] as? String == "old")
        }
    }

    @Test(arguments: Transport.allCases, ["acct", "svce"])
    func `generic passwords that differ in account or service are different items`(
        transport: Transport,
        key: String
    ) throws {
        try withKeychain(transport) {
            #expect(add(password([key as CFString: "one"])) == errSecSuccess)
            #expect(add(password([key as CFString: "two"])) == errSecSuccess)
            #expect(add(password([key as CFString: "one"])) == errSecDuplicateItem)
        }
    }

    @Test(
        arguments: Transport.allCases,
        [
            ("acct", "one", "two"), ("sdmn", "one", "two"), ("srvr", "one", "two"), ("ptcl", "http", "htps"),
            ("atyp", "form", "dflt"), ("port", "80", "443"), ("path", "/one", "/two"),
        ]
    )
    func `internet passwords that differ in one attribute of the primary key are different items`(
        transport: Transport,
        difference: (key: String, one: String, two: String)
    ) throws {
        try withKeychain(transport) {
            #expect(add(website([difference.key as CFString: difference.one])) == errSecSuccess)
            #expect(add(website([difference.key as CFString: difference.two])) == errSecSuccess)
            #expect(add(website([difference.key as CFString: difference.one])) == errSecDuplicateItem)
        }
    }

    @Test(arguments: Transport.allCases)
    func `attributes outside the primary key make no different item`(transport: Transport) throws {
        let others: [CFString: Any] = [
            kSecAttrLabel: "label", kSecAttrComment: "comment", kSecAttrDescription: "kind", kSecAttrCreator: 7,
            kSecAttrType: 8, kSecAttrIsInvisible: true, kSecAttrIsNegative: true, kSecAttrGeneric: Data([1]),
            kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock, "scrp": 1, "cusi": true, "prot": "p", "alis": "a",
            "sysb": 1, kSecAttrCreationDate: Date(timeIntervalSince1970: 0),
        ]
        try withKeychain(transport) {
            add(password())
            add(website())
            for (key, value) in others {
                #expect(add(password([key: value])) == errSecDuplicateItem, "\(key)")
                guard key != kSecAttrGeneric else { continue }
                #expect(add(website([key: value])) == errSecDuplicateItem, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an access control makes no different item`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil)
            )
            #expect(add(password([kSecAttrAccessControl: control])) == errSecDuplicateItem)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an absent attribute of the primary key is the same as an empty one`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(genericPasswords()) == errSecSuccess)
            for key in ["acct", "svce", "vwht"] {
                #expect(add(genericPasswords([key as CFString: ""])) == errSecDuplicateItem, "\(key)")
            }
            #expect(add(internetPasswords()) == errSecSuccess)
            for key in ["acct", "sdmn", "srvr", "atyp", "path", "vwht"] {
                #expect(add(internetPasswords([key as CFString: ""])) == errSecDuplicateItem, "\(key)")
            }
            #expect(add(internetPasswords([kSecAttrPort: 0, kSecAttrProtocol: 0])) == errSecDuplicateItem)
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a view hint and a token are part of what makes a password unique, and an empty one is none`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            for name in ["vwht", "tkid"] as [CFString] {
                #expect(add(itemClass.item()) == errSecSuccess)
                #expect(add(itemClass.item([name: "one"])) == errSecSuccess)
                #expect(add(itemClass.item([name: "two"])) == errSecSuccess)
                #expect(add(itemClass.item([name: "two"])) == errSecDuplicateItem)
                #expect(add(itemClass.item([name: ""])) == errSecDuplicateItem)
                try #expect(accounts(of: itemClass.query([name: "two"])).count == 1)
                try #expect(accounts(of: itemClass.query([name: ""])).count == 1)
                try #expect(attributes(of: itemClass.query([name: ""]))[String(describing: name)] == nil)
                #expect(delete(itemClass.query) == errSecSuccess)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `generic and internet passwords do not collide`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(genericPasswords([kSecAttrAccount: "alice"])) == errSecSuccess)
            #expect(add(internetPasswords([kSecAttrAccount: "alice"])) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item that was deleted can be added again`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            delete(query())
            #expect(add(password()) == errSecSuccess)
        }
    }

    // MARK: - The value

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `an item without a value is no item with an empty value`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            #expect(add(itemClass.query([kSecAttrAccount: "none"])) == errSecSuccess)
            #expect(add(itemClass.item(account: "empty", [kSecValueData: Data()])) == errSecSuccess)
            let none = find(itemClass.query([kSecAttrAccount: "none", kSecReturnData: true]))
            #expect(none.status == errSecSuccess)
            #expect(none.result == nil)
            let empty = find(itemClass.query([kSecAttrAccount: "empty", kSecReturnData: true]))
            #expect(empty.status == errSecSuccess)
            #expect(empty.result as? Data == Data())
        }
    }

    @Test(arguments: Transport.allCases)
    func `a value that is not data is refused and nothing is stored`(transport: Transport) throws {
        let values: [Any] = ["secret", 42, true, Date(), NSNull(), ["secret"], ["a": "b"], UUID(), [115, 101]]
        try withKeychain(transport) {
            for value in values {
                #expect(add(password([kSecValueData: value])) == errSecParam, "\(value)")
            }
            #expect(find(query()).status == errSecItemNotFound)
        }
    }

    // MARK: - What the service decides

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `the dates of a new item are now, whatever the caller says`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            let before = Date()
            add(itemClass.item([kSecAttrCreationDate: Date.distantPast, kSecAttrModificationDate: Date.distantFuture]))
            let item = try attributes(of: itemClass.query)
            let created = try #require(item["cdat"] as? Date)
            #expect(created >= before && created <= Date())
            #expect(item["mdat"] as? Date == created)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the missing attributes of a generic password's primary key come back as empty strings`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(genericPasswords())
            let item = try attributes(of: genericPasswords())
            #expect(item["acct"] as? String == "")
            #expect(item["svce"] as? String == "")
            #expect(item["sync"] as? Int == 0)
            #expect(item["pdmn"] as? String == "ak")
            #expect(item["agrp"] as? String == "test.default")
            #expect(item["accc"] is SecAccessControl)
            #expect(item["tomb"] as? Int == 0)
            #expect(item["musr"] as? Data == Data())
            let expected = ["accc", "acct", "agrp", "cdat", "mdat", "musr", "pdmn", "svce", "sync", "tomb"]
            #expect(item.keys.sorted() == expected)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the missing attributes of an internet password's primary key come back as empty strings and zeroes`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(internetPasswords())
            let item = try attributes(of: internetPasswords())
            for key in ["acct", "sdmn", "srvr", "atyp", "path"] {
                #expect(item[key] as? String == "", "\(key)")
            }
            for key in ["ptcl", "port", "sync"] {
                #expect(item[key] as? Int == 0, "\(key)")
                #expect(isNumber(item[key]), "\(key)")
            }
            let expected = [
                "accc", "acct", "agrp", "atyp", "cdat", "mdat", "musr", "path", "pdmn", "port", "ptcl", "sdmn", "srvr",
                "sync", "tomb",
            ]
            #expect(item.keys.sorted() == expected)
        }
    }

    @Test(arguments: Transport.allCases)
    func `every attribute of a generic password comes back as it was given`(transport: Transport) throws {
        let given: [CFString: Any] = [
            kSecAttrAccount: "alice", kSecAttrService: "mail", kSecAttrGeneric: Data([1, 2]), kSecAttrLabel: "label",
            kSecAttrDescription: "kind", kSecAttrComment: "comment", kSecAttrCreator: 1_634_758_764,
            kSecAttrType: 1_953_460_324, kSecAttrIsInvisible: 1, kSecAttrIsNegative: 0, "scrp": 5, "cusi": 1,
            "prot": Data([3]), "alis": "alias", "vwht": "view", "sysb": 1, "pcss": 2, "pcsk": Data([4]),
            "pcsi": Data([5]), kSecAttrAccessible: "ck", kSecAttrSynchronizable: 1, kSecAttrAccessGroup: "test.default",
        ]
        try withKeychain(transport) {
            #expect(add(genericPasswords(given)) == errSecSuccess)
            let item = try attributes(of: genericPasswords([kSecAttrSynchronizable: true])) as NSDictionary
            for (key, value) in given {
                #expect(CFEqual(item.object(forKey: key) as CFTypeRef?, value as CFTypeRef), "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `every attribute of an internet password comes back as it was given`(transport: Transport) throws {
        let given: [CFString: Any] = [
            kSecAttrAccount: "alice", kSecAttrServer: "example.com", kSecAttrSecurityDomain: "domain",
            kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTTPBasic,
            kSecAttrPort: 443, kSecAttrPath: "/login", kSecAttrLabel: "label", kSecAttrDescription: "kind",
            kSecAttrComment: "comment", kSecAttrCreator: 1, kSecAttrType: 2, kSecAttrIsInvisible: 1,
            kSecAttrIsNegative: 1, "scrp": 5, "cusi": 1, "prot": "protected", "alis": "alias",
        ]
        try withKeychain(transport) {
            #expect(add(internetPasswords(given)) == errSecSuccess)
            let item = try attributes(of: internetPasswords()) as NSDictionary
            for (key, value) in given {
                #expect(CFEqual(item.object(forKey: key) as CFTypeRef?, value as CFTypeRef), "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `the extra data of an internet password is secret, and is returned only with its value`(
        transport: Transport
    ) throws {
        let extras = ["binn", "bini", "bin0", "bin1", "bin2", "bin3"]
        try withKeychain(transport) {
            var item = website()
            for key in extras { item[key as CFString] = Data(key.utf8) }
            #expect(add(item) == errSecSuccess)
            let bare = try attributes(of: internetPasswords())
            let full = try #require(
                find(internetPasswords([kSecReturnAttributes: true, kSecReturnData: true])).result as? [String: Any]
            )
            for key in extras {
                #expect(bare[key] == nil, "\(key)")
                #expect(full[key] as? Data == Data(key.utf8), "\(key)")
            }
        }
    }

    // MARK: - The result

    @Test(arguments: Transport.allCases)
    func `an add that asks for nothing leaves the result untouched`(transport: Transport) throws {
        try withKeychain(transport) {
            let outcome = resultAfter { SecItemAdd(password() as CFDictionary, $0) }
            #expect(outcome.status == errSecSuccess)
            #expect(outcome.isUntouched)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add whose return keys are all false leaves the result untouched`(transport: Transport) throws {
        let no: [CFString: Any] = [
            kSecReturnData: kCFBooleanFalse!, kSecReturnAttributes: false, kSecReturnRef: false,
            kSecReturnPersistentRef: false,
        ]
        try withKeychain(transport) {
            let outcome = resultAfter { SecItemAdd(password(no) as CFDictionary, $0) }
            #expect(outcome.status == errSecSuccess)
            #expect(outcome.isUntouched)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a failed add leaves the result untouched`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let outcome = resultAfter { SecItemAdd(password([kSecReturnAttributes: true]) as CFDictionary, $0) }
            #expect(outcome.status == errSecDuplicateItem)
            #expect(outcome.isUntouched)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add that asks for something and has nowhere to put it succeeds`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(password([kSecReturnData: true, kSecReturnAttributes: true])) == errSecSuccess)
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add returns the value as data`(transport: Transport) throws {
        try withKeychain(transport) {
            let added = addReturning(password([kSecReturnData: true]))
            #expect(added.status == errSecSuccess)
            #expect(added.result as? Data == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add without a value that asks for it returns empty data`(transport: Transport) throws {
        try withKeychain(transport) {
            let added = addReturning(query([kSecReturnData: true]))
            #expect(added.status == errSecSuccess)
            #expect(added.result as? Data == Data())
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add returns the persistent reference that later finds the item`(transport: Transport) throws {
        try withKeychain(transport) {
            let added = addReturning(password([kSecReturnPersistentRef: true]))
            #expect(added.status == errSecSuccess)
            let bytes = try #require(added.result as? Data)
            try #expect(value(of: [kSecValuePersistentRef: bytes]) == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add returns the attributes and the digest, without the value, the class and what is hidden`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            let added = addReturning(password([kSecReturnAttributes: true]))
            let item = try #require(added.result as? [String: Any])
            let expected = ["accc", "acct", "agrp", "cdat", "mdat", "pdmn", "sha1", "svce", "sync"]
            #expect(item.keys.sorted() == expected)
            #expect((item["sha1"] as? Data)?.count == 20)
            #expect(item["cdat"] is Date)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add that asks for several things returns a dictionary of them`(transport: Transport) throws {
        try withKeychain(transport) {
            let added = addReturning(
                password([kSecReturnAttributes: true, kSecReturnData: true, kSecReturnPersistentRef: true])
            )
            let item = try #require(added.result as? [String: Any])
            #expect(item["v_Data"] as? Data == secret)
            #expect((item["v_PersistentRef"] as? Data)?.count == 20)
            #expect(item["acct"] as? String == "alice")
            #expect(item["class"] == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add that asks for an object gets none, since passwords are no objects`(transport: Transport) throws {
        try withKeychain(transport) {
            let outcome = resultAfter { SecItemAdd(password([kSecReturnRef: true]) as CFDictionary, $0) }
            #expect(outcome.status == errSecSuccess)
            #expect(outcome.result == nil)
        }
    }

    // MARK: - What an add does not take

    @Test(
        arguments: Transport.allCases,
        [
            "m_Limit", "m_CaseInsensitive", "m_SearchList", "m_SubjectContains", "m_TrustedOnly", "m_ValidOnDate",
            "m_Issuers", "m_Policy", "m_EmailAddressIfPresent", "m_HostOrSubdomainOfHost", "m_ItemList", "m_Unheard",
        ]
    )
    func `a match key makes an add an error and nothing is stored`(transport: Transport, key: String) throws {
        try withKeychain(transport) {
            let value: Any = key == "m_Limit" ? kSecMatchLimitAll : "x"
            #expect(add(password([key as CFString: value])) == errSecParam)
            #expect(find(query()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item list makes an add an error and nothing is stored`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(password([kSecUseItemList: [Data()]])) == errSecParam)
            #expect(find(query()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item cannot be added under a persistent reference`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let old = try reference(of: query())
            delete(query())
            #expect(add(password([kSecValuePersistentRef: old])) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `what a search returned can be added again under another account`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password([kSecAttrLabel: "label"]))
            let found = find(query([kSecReturnAttributes: true, kSecReturnData: true]))
            var copy = try #require(found.result as? [CFString: Any])
            copy[kSecClass] = kSecClassGenericPassword
            #expect(add(copy) == errSecDuplicateItem)
            copy[kSecAttrAccount] = "bob"
            #expect(add(copy) == errSecSuccess)
            try #expect(value(of: query(account: "bob")) == secret)
            try #expect(attributes(of: query(account: "bob"))["labl"] as? String == "label")
        }
    }
}
