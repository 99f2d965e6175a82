import Foundation
import Security
import Testing

@Suite("Deleting passwords")
struct DeleteTests {
    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a deleted item is gone`(transport: Transport, itemClass: PasswordClass) throws {
        try withKeychain(transport) {
            add(itemClass.item())
            #expect(delete(itemClass.query([kSecAttrAccount: "alice"])) == errSecSuccess)
            #expect(find(itemClass.query).status == errSecItemNotFound)
            #expect(delete(itemClass.query) == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a deletion by class alone deletes all items of the class`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            for account in ["alice", "bob", "carol"] {
                add(password(account: account))
                add(website(account: account))
            }
            #expect(delete(itemClass.query) == errSecSuccess)
            #expect(find(itemClass.query).status == errSecItemNotFound)
            let other = PasswordClass.allCases.first { $0 != itemClass }
            try #expect(accounts(of: #require(other).query).count == 3)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion deletes all items that match and no other`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "alice", service: "mail"))
            add(password(account: "bob", service: "mail"))
            add(password(account: "alice", service: "chat"))
            #expect(delete(genericPasswords([kSecAttrService: "mail"])) == errSecSuccess)
            try #expect(allAttributes(of: genericPasswords()).map { $0["svce"] as? String } == ["chat"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion that matches nothing is not found and deletes nothing`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(delete(query(account: "bob")) == errSecItemNotFound)
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(
        arguments: Transport.allCases,
        [
            "m_CaseInsensitive", "m_SearchList", "m_TrustedOnly", "m_Issuers", "m_Policy", "m_Unheard",
            "m_HostOrSubdomainOfHost", "m_ItemList",
        ]
    )
    func `a match key makes a deletion an error and nothing is deleted`(transport: Transport, key: String) throws {
        try withKeychain(transport) {
            add(password())
            #expect(delete(query([key as CFString: "x"])) == errSecParam)
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a limit says how many of the items that match a deletion deletes`(transport: Transport) throws {
        try withKeychain(transport) {
            let limits: [(limit: Any, left: Int)] = [
                (kSecMatchLimitOne, 2), (kSecMatchLimitAll, 0), (1, 2), (2, 1), (7, 0), (-1, 0),
            ]
            for (limit, left) in limits {
                for account in ["alice", "bob", "carol"] { add(password(account: account)) }
                #expect(delete(genericPasswords([kSecMatchLimit: limit])) == errSecSuccess, "\(limit)")
                try #expect(left == 0 || accounts(of: genericPasswords()).count == left, "\(limit)")
                #expect(delete(genericPasswords()) == (left == 0 ? errSecItemNotFound : errSecSuccess), "\(limit)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion of no item at most deletes none`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(delete(query([kSecMatchLimit: 0])) == errSecItemNotFound)
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a limit that is none makes a deletion an error`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let limits: [Any] = ["x", -2, 1.5, kCFNull as Any, Data()]
            for limit in limits { #expect(delete(query([kSecMatchLimit: limit])) == errSecParam, "\(limit)") }
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion that names the group of token items lacks the entitlement`(transport: Transport) throws {
        try withKeychain(transport, groups: ["test.default", "com.apple.token"]) {
            #expect(delete(query([kSecAttrAccessGroup: "com.apple.token"])) == errSecMissingEntitlement)
        }
    }

    @Test(arguments: Transport.allCases, ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"])
    func `return keys in a deletion mean nothing`(transport: Transport, key: String) throws {
        try withKeychain(transport) {
            add(password())
            #expect(delete(query([key as CFString: true])) == errSecSuccess)
            #expect(find(query()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an attribute that is not a certificate's makes a deletion an error, and nothing is deleted`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(certificate())
            #expect(delete(certificates([kSecAttrApplicationTag: "x"])) == errSecNoSuchAttr)
            #expect(find(certificates()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a return key in a deletion still has to be a truth value`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(delete(query([kSecReturnData: 1])) == errSecParam)
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `hiding what asks the person makes a deletion an error`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(delete(query([kSecUseAuthenticationUI: kSecUseAuthenticationUISkip])) == errSecParam)
            #expect(delete(query([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item list makes a deletion an error`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(delete(query([kSecUseItemList: [Data()]])) == errSecParam)
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the value in a deletion is no filter`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(delete(query([kSecValueData: Data("other".utf8)])) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an attribute of another class makes a deletion an error and nothing is deleted`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(password())
            add(website())
            #expect(delete(genericPasswords([kSecAttrServer: "example.com"])) == errSecNoSuchAttr)
            #expect(delete(internetPasswords([kSecAttrService: "mail"])) == errSecNoSuchAttr)
            #expect(find(query()).status == errSecSuccess)
            #expect(find(internetPasswords()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item with an access control is deleted like any other`(transport: Transport) throws {
        try withKeychain(transport) {
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil)
            )
            add(password([kSecAttrAccessControl: control]))
            #expect(delete(query()) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `all five classes can be emptied, and there is no identity without a certificate and a key`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(password())
            let classes = [
                kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey,
                kSecClassIdentity,
            ]
            #expect(
                classes.map { delete([kSecClass: $0]) } == [0] + [OSStatus](repeating: errSecItemNotFound, count: 4)
            )
            #expect(find([kSecClass: kSecClassIdentity]).status == errSecItemNotFound)
            #expect(update([kSecClass: kSecClassIdentity], [kSecAttrLabel: "a"]) == errSecItemNotFound)
            let foreign: [CFString: Any] = [kSecClass: kSecClassIdentity, kSecAttrAccessGroup: "not.mine"]
            #expect(delete(foreign) == errSecMissingEntitlement)
            #expect(add([kSecClass: kSecClassCertificate, kSecValueData: Data([1])]) == errSecSuccess)
            #expect(delete([kSecClass: kSecClassIdentity]) == errSecItemNotFound)
            #expect(add([kSecClass: kSecClassKey, kSecValueData: Data([2])]) == errSecSuccess)
            #expect(find([kSecClass: kSecClassIdentity]).status == errSecItemNotFound)
            #expect(delete([kSecClass: kSecClassIdentity]) == errSecSuccess)
        }
    }
}
