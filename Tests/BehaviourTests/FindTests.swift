import Foundation
import Security
import Testing

@Suite("Finding a password")
struct FindTests {
    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `nothing is found in an empty keychain`(transport: Transport, itemClass: PasswordClass) throws {
        try withKeychain(transport) {
            #expect(find(itemClass.query).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `an item is found by its class alone`(transport: Transport, itemClass: PasswordClass) throws {
        try withKeychain(transport) {
            add(itemClass.item())
            #expect(find(itemClass.query).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a search finds items of its class alone`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            for other in [kSecClassInternetPassword, kSecClassCertificate, kSecClassKey] {
                #expect(find([kSecClass: other]).status == errSecItemNotFound, "\(other)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `all filters have to hold`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "alice", service: "mail"))
            #expect(find(query(account: "alice", service: "chat")).status == errSecItemNotFound)
            #expect(find(query(account: "bob", service: "mail")).status == errSecItemNotFound)
            #expect(find(query(account: "alice", service: "mail")).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the value in a search is no filter`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let found = find(query([kSecValueData: Data("something else".utf8), kSecReturnData: true]))
            #expect(found.status == errSecSuccess)
            #expect(found.result as? Data == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the value in a search has to be data`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(find(query([kSecValueData: "secret"])).status == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `returned attributes find their item again`(transport: Transport, itemClass: PasswordClass) throws {
        let more: [CFString: Any] = [
            kSecAttrLabel: "label", kSecAttrComment: Data([1, 2]), kSecAttrCreator: 7, kSecAttrType: 8,
            kSecAttrIsInvisible: true, kSecAttrDescription: "kind", "prot": "p",
        ]
        try withKeychain(transport) {
            add(itemClass.item(more))
            add(itemClass.item(account: "bob", more))
            let item = try attributes(of: itemClass.query([kSecAttrAccount: "bob"]))
            let again = NSMutableDictionary(dictionary: item)
            again[kSecClass] = itemClass.query[kSecClass]
            again[kSecReturnAttributes] = true
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(again, &result) == errSecSuccess)
            #expect(CFEqual(result, item as CFTypeRef))
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `attributes returned with the value and the class find their item again as they are`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            add(itemClass.item())
            let returns: [CFString: Any] = [kSecReturnRef: true, kSecReturnData: true]
            let item = try #require(find(itemClass.query(returns)).result as? NSDictionary)
            #expect(item["sha1"] != nil)
            #expect(SecItemCopyMatching(item, nil) == errSecSuccess)
            add(itemClass.item(account: "bob"))
            #expect(SecItemDelete(item) == errSecSuccess)
            try #expect(accounts(of: itemClass.query) == ["bob"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `the digest finds the item in the state in which it was returned`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "alice"))
            add(password(account: "bob"))
            let item = try #require(
                find(query(account: "bob", [kSecReturnAttributes: true, kSecReturnData: true])).result
                    as? [String: Any]
            )
            let digest = try #require(item["sha1"] as? Data)
            try #expect(accounts(of: genericPasswords(["sha1": digest])) == ["bob"])
            update(query(account: "bob"), [kSecValueData: Data("changed".utf8)])
            #expect(find(genericPasswords(["sha1": digest])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `keys that only concern asking the person are accepted and change nothing`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let keys: [CFString: Any] = [
                kSecUseOperationPrompt: "Please", kSecUseNoAuthenticationUI: true,
                kSecUseAuthenticationUI: kSecUseAuthenticationUIFail, "u_CallerName": "test",
            ]
            #expect(find(query(keys)).status == errSecSuccess)
            for ui in [kSecUseAuthenticationUIAllow, kSecUseAuthenticationUIFail, kSecUseAuthenticationUISkip] {
                try #expect(value(of: query([kSecUseAuthenticationUI: ui])) == secret, "\(ui)")
            }
        }
    }

    @Test(arguments: Transport.allCases, [true, false])
    func `the data protection keychain is the only one`(transport: Transport, isAskedFor: Bool) throws {
        try withKeychain(transport) {
            let which: [CFString: Any] = [kSecUseDataProtectionKeychain: isAskedFor]
            #expect(add(password(which)) == errSecSuccess)
            try #expect(value(of: query(which)) == secret)
            #expect(find(query()).status == errSecSuccess)
            #expect(update(query(which), [kSecAttrLabel: "x", kSecUseDataProtectionKeychain: true]) == errSecSuccess)
            #expect(delete(query(which)) == errSecSuccess)
        }
    }

    // MARK: - Hosts

    @Test(arguments: Transport.allCases)
    func `a host finds the servers that are it or in it`(transport: Transport) throws {
        try withKeychain(transport) {
            for server in ["example.com", "www.example.com", "badexample.com", "example.com.evil.org", "example.co"] {
                add(website(account: server, server: server))
            }
            let matches = try accounts(of: internetPasswords([kSecMatchHostOrSubdomainOfHost: "example.com"]))
            #expect(matches == ["example.com", "www.example.com"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `a host finds a match behind items that are none`(transport: Transport) throws {
        try withKeychain(transport) {
            for number in 0..<5 { add(website(account: "\(number)", server: "other.org")) }
            add(website(server: "www.example.com"))
            #expect(find(internetPasswords([kSecMatchHostOrSubdomainOfHost: "example.com"])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a host finds no server that is data`(transport: Transport) throws {
        try withKeychain(transport) {
            add(website(server: Data("example.com".utf8)))
            let found = find(internetPasswords([kSecMatchHostOrSubdomainOfHost: "example.com"]))
            #expect(found.status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `only internet passwords are found by host, and only by one that is a string`(transport: Transport) throws {
        try withKeychain(transport) {
            let host = kSecMatchHostOrSubdomainOfHost
            #expect(find(genericPasswords([host: "example.com"])).status == errSecUnimplemented)
            #expect(find(internetPasswords([host: Data("example.com".utf8)])).status == errSecParam)
        }
    }

    // MARK: - Other match keys

    @Test(arguments: Transport.allCases)
    func `match keys that do not concern passwords are ignored`(transport: Transport) throws {
        let ignored: [CFString: Any] = [
            kSecMatchCaseInsensitive: true, kSecMatchSubjectContains: "x", kSecMatchItemList: [Data()],
            kSecMatchSearchList: ["x"], "m_NeverHeardOf": 1, kSecMatchTrustedOnly: true, kSecMatchValidOnDate: Date(),
            kSecMatchEmailAddressIfPresent: "a@example.com",
        ]
        try withKeychain(transport) {
            add(password())
            for (key, value) in ignored {
                #expect(find(query([key: value])).status == errSecSuccess, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `passwords are not found by issuer or policy`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(find(query([kSecMatchIssuers: [Data([0x30, 0])]])).status == errSecUnimplemented)
        }
    }

    @Test(arguments: Transport.allCases)
    func `asking for no regard to case has no effect`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "Alice"))
            #expect(find(query(account: "alice", [kSecMatchCaseInsensitive: true])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `no certificate, key or identity is found by host`(transport: Transport) throws {
        try withKeychain(transport) {
            for itemClass in [EveryClass.certificate, .key, .identity] {
                let query = itemClass.query([kSecMatchHostOrSubdomainOfHost: "example.com"])
                #expect(find(query).status == errSecUnimplemented, "\(itemClass)")
            }
        }
    }

    @Test(arguments: Transport.allCases, [EveryClass.genericPassword, .internetPassword, .key])
    func `match keys of certificates are checked for their type in other classes, and then ignored`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let keys: [(CFString, [Any], [Any])] = [
            (kSecMatchTrustedOnly, [true, false], [1, "true", Data()]),
            (kSecMatchValidOnDate, [Date.distantPast, NSNull()], ["now", 0, true]),
            (kSecMatchEmailAddressIfPresent, ["a@example.com"], [Data(), 1]),
        ]
        try withKeychain(transport) {
            itemClass.addItem()
            for (key, right, wrong) in keys {
                for value in right {
                    #expect(find(itemClass.query([key: value])).status == errSecSuccess, "\(key): \(value)")
                }
                for value in wrong {
                    #expect(find(itemClass.query([key: value])).status == errSecParam, "\(key): \(value)")
                }
            }
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `match keys that nothing implements are ignored in every class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let ignored: [CFString: Any] = [
            kSecMatchCaseInsensitive: true, kSecMatchSubjectContains: "x", kSecMatchItemList: [Data()],
            kSecMatchSearchList: ["x"], kSecMatchSubjectWholeString: "x", "m_NeverHeardOf": 1,
        ]
        try withKeychain(transport) {
            itemClass.addItem()
            for (key, value) in ignored {
                #expect(find(itemClass.query([key: value])).status == errSecSuccess, "\(key)")
            }
        }
    }
}
