import Foundation
import Security
import Testing

@Suite("Access groups")
struct AccessGroupTests {
    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a new item goes into the program's first group`(transport: Transport, itemClass: PasswordClass) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            add(itemClass.item())
            try #expect(attributes(of: itemClass.query)["agrp"] as? String == "first")
        }
    }

    @Test(arguments: Transport.allCases)
    func `a new item goes into the group that it names`(transport: Transport) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            #expect(add(password([kSecAttrAccessGroup: "second"])) == errSecSuccess)
            try #expect(attributes(of: query())["agrp"] as? String == "second")
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `the same item may exist once in each group`(transport: Transport, itemClass: PasswordClass) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            #expect(add(itemClass.item()) == errSecSuccess)
            #expect(add(itemClass.item([kSecAttrAccessGroup: "second"])) == errSecSuccess)
            #expect(add(itemClass.item([kSecAttrAccessGroup: "first"])) == errSecDuplicateItem)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a search that names no group looks into all of the program's`(transport: Transport) throws {
        try withKeychain(transport, groups: ["first", "second", "third"]) {
            add(password(account: "a"))
            add(password(account: "b", [kSecAttrAccessGroup: "second"]))
            add(password(account: "c", [kSecAttrAccessGroup: "third"]))
            try #expect(accounts(of: genericPasswords()) == ["a", "b", "c"])
            try #expect(accounts(of: genericPasswords([kSecAttrAccessGroup: "second"])) == ["b"])
            #expect(update(genericPasswords(), [kSecAttrLabel: "x"]) == errSecSuccess)
            try #expect(accounts(of: genericPasswords([kSecAttrLabel: "x"])).count == 3)
            #expect(delete(genericPasswords()) == errSecSuccess)
            #expect(find(genericPasswords()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the limit counts over all groups`(transport: Transport) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            for number in 0..<3 {
                add(password(account: "a\(number)"))
                add(password(account: "b\(number)", [kSecAttrAccessGroup: "second"]))
            }
            let found = find(genericPasswords([kSecMatchLimit: 4, kSecReturnData: true]))
            #expect((found.result as? [Data])?.count == 4)
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a group that is not the program's is a missing entitlement`(transport: Transport, call: Call) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            for group in ["third", "", "firs", "first ", "FIRST", "*", "first*"] {
                #expect(call(password([kSecAttrAccessGroup: group])) == errSecMissingEntitlement, "\(group)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `a program without groups may do nothing`(transport: Transport, call: Call) throws {
        try withKeychain(transport, groups: []) {
            #expect(call(password()) == errSecMissingEntitlement)
            #expect(call(password([kSecAttrAccessGroup: "first"])) == errSecMissingEntitlement)
        }
    }

    @Test(arguments: Transport.allCases)
    func `programs see the items of the groups that they share and no others`(transport: Transport) throws {
        let keychain = try KeychainFixture(transport)
        keychain.asProgram(groups: ["a", "shared"]) {
            add(password(account: "private"))
            add(password(account: "common", [kSecAttrAccessGroup: "shared"]))
        }
        try keychain.asProgram(groups: ["b", "shared"]) {
            try #expect(accounts(of: genericPasswords()) == ["common"])
            #expect(add(password(account: "private")) == errSecSuccess)
            #expect(update(query(account: "private"), [kSecAttrLabel: "mine"]) == errSecSuccess)
            #expect(delete(genericPasswords()) == errSecSuccess)
        }
        try keychain.asProgram(groups: ["a", "shared"]) {
            try #expect(accounts(of: genericPasswords()) == ["private"])
            try #expect(attributes(of: query(account: "private"))["labl"] == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference to an item of a foreign group is not found`(transport: Transport) throws {
        let keychain = try KeychainFixture(transport)
        let bytes = try keychain.asProgram(groups: ["a"]) {
            add(password())
            return try reference(of: query())
        }
        keychain.asProgram(groups: ["b"]) {
            let foreign: [CFString: Any] = [kSecValuePersistentRef: bytes]
            #expect(find(foreign).status == errSecItemNotFound)
            #expect(update(foreign, [kSecAttrLabel: "x"]) == errSecItemNotFound)
            #expect(delete(foreign) == errSecItemNotFound)
            #expect(update(foreign.merging([kSecAttrAccessGroup: "a"]) { $1 }, [:]) == errSecMissingEntitlement)
            #expect(delete(foreign.merging([kSecAttrAccessGroup: "a"]) { $1 }) == errSecMissingEntitlement)
        }
        try keychain.asProgram(groups: ["a"]) {
            try #expect(value(of: query()) == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update moves an item to another group of the program`(transport: Transport) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            add(password())
            let bytes = try reference(of: query())
            #expect(update(query(), [kSecAttrAccessGroup: "second"]) == errSecSuccess)
            #expect(find(query([kSecAttrAccessGroup: "first"])).status == errSecItemNotFound)
            try #expect(value(of: query([kSecAttrAccessGroup: "second"])) == secret)
            try #expect(value(of: [kSecValuePersistentRef: bytes]) == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item moved to a group that has its like is a duplicate`(transport: Transport) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            add(password())
            add(password([kSecAttrAccessGroup: "second"]))
            let first = query([kSecAttrAccessGroup: "first"])
            #expect(update(first, [kSecAttrAccessGroup: "second"]) == errSecDuplicateItem)
            #expect(find(first).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update cannot move an item to a foreign group`(transport: Transport) throws {
        try withKeychain(transport, groups: ["first"]) {
            add(password())
            for group in ["second", "", kSecAttrAccessGroupToken as String] {
                #expect(update(query(), [kSecAttrAccessGroup: group]) == errSecMissingEntitlement, "\(group)")
            }
            try #expect(attributes(of: query())["agrp"] as? String == "first")
        }
    }

    // MARK: - The group of tokens

    @Test(arguments: Transport.allCases)
    func `the group of tokens is read by programs that have it, and empty`(transport: Transport) throws {
        let tokens: [CFString: Any] = [kSecAttrAccessGroup: kSecAttrAccessGroupToken]
        try withKeychain(transport, groups: ["first", "com.apple.token"]) {
            #expect(find(query(tokens)).status == errSecItemNotFound)
            // A deletion is refused, also for those who may read.
            #expect(delete(query(tokens)) == errSecMissingEntitlement)
        }
        try withKeychain(transport, groups: ["first"]) {
            #expect(find(query(tokens)).status == errSecMissingEntitlement)
        }
    }

    @Test(arguments: Transport.allCases)
    func `nobody writes into the group of tokens`(transport: Transport) throws {
        let tokens: [CFString: Any] = [kSecAttrAccessGroup: kSecAttrAccessGroupToken]
        try withKeychain(transport, groups: ["first", "com.apple.token"]) {
            #expect(add(password(tokens)) == errSecMissingEntitlement)
            add(password())
            #expect(update(query(), tokens) == errSecMissingEntitlement)
            try #expect(attributes(of: query())["agrp"] as? String == "first")
        }
    }

    @Test(arguments: Transport.allCases)
    func `the group of tokens is never the default, wherever it stands`(transport: Transport) throws {
        try withKeychain(transport, groups: ["com.apple.token", "second"]) {
            #expect(add(password()) == errSecSuccess)
            try #expect(attributes(of: query())["agrp"] as? String == "second")
        }
        try withKeychain(transport, groups: ["com.apple.token"]) {
            #expect(add(password()) == errSecMissingEntitlement)
        }
    }

    // MARK: - Other spellings

    @Test(arguments: Transport.allCases)
    func `a group may be named by data`(transport: Transport) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            #expect(add(password([kSecAttrAccessGroup: Data("second".utf8)])) == errSecSuccess)
            try #expect(attributes(of: query())["agrp"] as? String == "second")
            #expect(add(password([kSecAttrAccessGroup: Data([0xFF])])) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `groups are compared byte by byte`(transport: Transport) throws {
        try withKeychain(transport, groups: ["caf\u{E9}", "cafe\u{301}"]) {
            #expect(add(password()) == errSecSuccess)
            #expect(add(password([kSecAttrAccessGroup: "cafe\u{301}"])) == errSecSuccess)
            try #expect(allAttributes(of: query([kSecAttrAccessGroup: "caf\u{E9}"])).count == 1)
            try #expect(allAttributes(of: query()).count == 2)
        }
        try withKeychain(transport, groups: ["caf\u{E9}"]) {
            #expect(find(query([kSecAttrAccessGroup: "cafe\u{301}"])).status == errSecMissingEntitlement)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a wildcard gives a program every group that begins with it, and no default`(transport: Transport) throws {
        let keychain = try KeychainFixture(transport)
        keychain.asProgram(groups: ["TEAM.one", "TEAM.two", "OTHER"]) {
            add(password(account: "one"))
            add(password(account: "two", [kSecAttrAccessGroup: "TEAM.two"]))
            add(password(account: "other", [kSecAttrAccessGroup: "OTHER"]))
        }
        try keychain.asProgram(groups: ["TEAM.*"]) {
            try #expect(accounts(of: genericPasswords()) == ["one", "two"])
            #expect(find(genericPasswords([kSecAttrAccessGroup: "OTHER"])).status == errSecMissingEntitlement)
            #expect(add(password()) == errSecMissingEntitlement)
            #expect(add(password([kSecAttrAccessGroup: "TEAM.three"])) == errSecSuccess)
        }
        try keychain.asProgram(groups: ["*"]) {
            try #expect(accounts(of: genericPasswords()) == ["alice", "one", "other", "two"])
        }
    }

    // MARK: - Sharing groups

    @Test(arguments: Transport.allCases, Call.allCases)
    func `sharing groups need an entitlement that nobody has`(transport: Transport, call: Call) throws {
        try withKeychain(transport) {
            #expect(call(password(["ggrp": "family"])) == errSecMissingEntitlement)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a synchronizable item in a sharing group is an error`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(password(["ggrp": "family", kSecAttrSynchronizable: true])) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an empty sharing group is none`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(password(["ggrp": ""])) == errSecSuccess)
            #expect(add(password()) == errSecDuplicateItem)
            #expect(find(query(["ggrp": ""])).status == errSecSuccess)
            #expect(delete(query(["ggrp": ""])) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a sharing group beside a persistent reference needs an entitlement too`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withKeychain(transport) {
            itemClass.addItem()
            let item: [CFString: Any] = [
                kSecValuePersistentRef: try reference(of: itemClass.query()), "ggrp": "family",
            ]
            if itemClass != .identity { #expect(update(item, [:]) == errSecMissingEntitlement) }
            #expect(delete(item) == errSecMissingEntitlement)
            #expect(find(itemClass.query()).status == errSecSuccess)
        }
    }

    // MARK: - In every class

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a group that is not the program's is a missing entitlement in every class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let foreign: [CFString: Any] = [kSecAttrAccessGroup: "foreign"]
        try withKeychain(transport, groups: ["first", "com.apple.token"]) {
            itemClass.addItem()
            for part in itemClass.parts(2, foreign) { #expect(add(part) == errSecMissingEntitlement) }
            #expect(find(itemClass.query(foreign)).status == errSecMissingEntitlement)
            #expect(update(itemClass.query(foreign), [:]) == errSecMissingEntitlement)
            #expect(delete(itemClass.query(foreign)) == errSecMissingEntitlement)
            for group in ["foreign", "", "com.apple.token"] {
                #expect(update(itemClass.query(), [kSecAttrAccessGroup: group]) == errSecMissingEntitlement, "\(group)")
            }
            try #expect(attributes(of: itemClass.query())["agrp"] as? String == "first")
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a program without groups may do nothing in any class`(transport: Transport, itemClass: EveryClass) throws {
        try withKeychain(transport, groups: []) {
            for part in itemClass.parts() { #expect(add(part) == errSecMissingEntitlement) }
            for call in [Call.find, .update, .delete] {
                #expect(call(itemClass.query()) == errSecMissingEntitlement, "\(call)")
            }
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `an item of any class in a foreign group is not found, changed or deleted, also not by its reference`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let keychain = try KeychainFixture(transport)
        let bytes = try keychain.asProgram(groups: ["a"]) {
            itemClass.addItem()
            return try reference(of: itemClass.query())
        }
        keychain.asProgram(groups: ["b"]) {
            for query in [itemClass.query(), [kSecValuePersistentRef: bytes]] {
                #expect(find(query).status == errSecItemNotFound)
                #expect(delete(query) == errSecItemNotFound)
            }
            #expect(update(itemClass.query(), [kSecAttrLabel: "x"]) == errSecItemNotFound)
            if itemClass != .identity {
                #expect(update([kSecValuePersistentRef: bytes], [kSecAttrLabel: "x"]) == errSecItemNotFound)
            }
            let named: [CFString: Any] = [kSecValuePersistentRef: bytes, kSecAttrAccessGroup: "a"]
            #expect(delete(named) == errSecMissingEntitlement)
            // Another's item does not stand in the way of one's own.
            itemClass.addItem()
        }
        try keychain.asProgram(groups: ["a"]) {
            try #expect(value(of: [kSecValuePersistentRef: bytes]) == itemClass.data)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a new item of any class goes into the first group that is not that of tokens`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withKeychain(transport, groups: ["com.apple.token", "second", "third"]) {
            itemClass.addItem()
            try #expect(attributes(of: itemClass.query())["agrp"] as? String == "second")
            for part in itemClass.parts(2, [kSecAttrAccessGroup: kSecAttrAccessGroupToken]) {
                #expect(add(part) == errSecMissingEntitlement)
            }
        }
    }
}
