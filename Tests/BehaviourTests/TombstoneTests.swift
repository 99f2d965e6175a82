import Foundation
import Security
import Testing

@Suite("Tombstones of synchronizable passwords")
struct TombstoneTests {
    private let shared: [CFString: Any] = [kSecAttrSynchronizable: true]
    private let tombstones: [CFString: Any] = [kSecAttrSynchronizable: kSecAttrSynchronizableAny, "tomb": true]

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a deleted synchronizable item leaves a tombstone that no ordinary search finds`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            add(itemClass.item(shared))
            #expect(delete(itemClass.query(shared)) == errSecSuccess)
            #expect(find(itemClass.query(shared)).status == errSecItemNotFound)
            let any: [CFString: Any] = [kSecAttrSynchronizable: kSecAttrSynchronizableAny]
            #expect(find(itemClass.query(any)).status == errSecItemNotFound)
            #expect(find(itemClass.query(shared.merging(["tomb": false]) { $1 })).status == errSecItemNotFound)
            try #expect(allAttributes(of: itemClass.query(tombstones)).count == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a tombstone keeps the primary key and the dates, and neither the value nor the rest`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(password(shared.merging([kSecAttrLabel: "label", kSecAttrComment: "comment"]) { $1 }))
            let before = try attributes(of: query(shared))
            delete(query(shared))
            let returns: [CFString: Any] = [kSecReturnAttributes: true, kSecReturnData: true]
            let found = find(genericPasswords(tombstones.merging(returns) { $1 }))
            let tombstone = try #require(found.result as? [String: Any])
            #expect(tombstone["acct"] as? String == "alice")
            #expect(tombstone["svce"] as? String == "mail")
            #expect(tombstone["sync"] as? Int == 1)
            #expect(tombstone["agrp"] as? String == "test.default")
            #expect(tombstone["tomb"] as? Int == 1)
            #expect(isNumber(tombstone["tomb"]))
            for key in ["labl", "icmt", "v_Data"] { #expect(tombstone[key] == nil, "\(key)") }
            #expect(tombstone["cdat"] as? Date == before["cdat"] as? Date)
            #expect(try #require(tombstone["mdat"] as? Date) > #require(before["mdat"] as? Date))
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item of this device alone leaves no tombstone`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            delete(query())
            #expect(find(genericPasswords(tombstones)).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion can be told to leave no tombstone`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(shared))
            #expect(delete(query(shared.merging(["u_Tomb": false]) { $1 })) == errSecSuccess)
            #expect(find(genericPasswords(tombstones)).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion can be told to leave a tombstone of an item of this device alone`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(delete(query(["u_Tomb": true])) == errSecSuccess)
            #expect(find(query()).status == errSecItemNotFound)
            #expect(find(query(["tomb": true])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `whether a tombstone is left is said by a truth value`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            for value in [1, 0, "yes", NSNull()] as [Any] {
                #expect(delete(query(["u_Tomb": value])) == errSecParam, "\(value)")
            }
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a tombstone does not stand in the way of a new item, and goes`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            add(itemClass.item(shared))
            delete(itemClass.query(shared))
            #expect(add(itemClass.item(shared.merging([kSecValueData: Data("new".utf8)]) { $1 })) == errSecSuccess)
            try #expect(value(of: itemClass.query(shared)) == Data("new".utf8))
            #expect(find(itemClass.query(tombstones)).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a tombstone does not stand in the way of an item that is renamed`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "bob", shared))
            delete(query(account: "bob", shared))
            add(password(account: "alice", shared))
            #expect(update(query(account: "alice", shared), [kSecAttrAccount: "bob"]) == errSecSuccess)
            try #expect(value(of: query(account: "bob", shared)) == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a renamed synchronizable item leaves a tombstone under its old name`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "alice", shared))
            #expect(update(query(account: "alice", shared), [kSecAttrAccount: "bob"]) == errSecSuccess)
            try #expect(accounts(of: genericPasswords(tombstones)) == ["alice"])
            try #expect(accounts(of: genericPasswords(shared)) == ["bob"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update that keeps the name leaves no tombstone`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(shared))
            update(query(shared), [kSecAttrLabel: "x", kSecValueData: Data()])
            #expect(find(genericPasswords(tombstones)).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item that stops being synchronizable leaves a tombstone`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(shared))
            #expect(update(query(shared), [kSecAttrSynchronizable: false]) == errSecSuccess)
            let left = try allAttributes(of: genericPasswords(tombstones))
            #expect(left.map { $0["sync"] as? Int } == [1])
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a tombstone that is deleted is gone for good`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(shared))
            delete(query(shared))
            #expect(delete(genericPasswords(tombstones)) == errSecSuccess)
            #expect(find(genericPasswords(tombstones)).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a tombstone that is deleted stays if a tombstone is asked for`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(shared))
            delete(query(shared))
            #expect(delete(genericPasswords(tombstones.merging(["u_Tomb": true]) { $1 })) == errSecSuccess)
            try #expect(allAttributes(of: genericPasswords(tombstones)).count == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a tombstone is added, found as one alone, and deleted by the same dictionary`(transport: Transport) throws {
        try withKeychain(transport) {
            let tombstone = password(["tomb": true])
            #expect(add(tombstone) == errSecSuccess)
            #expect(find(query()).status == errSecItemNotFound)
            #expect(find(query(["tomb": true])).status == errSecSuccess)
            #expect(delete(tombstone) == errSecSuccess)
            #expect(find(query(["tomb": true])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item takes the place of a tombstone that was added, and a tombstone not that of an item`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(password(["tomb": true]))
            #expect(add(password(["tomb": false])) == errSecSuccess)
            #expect(add(password(["tomb": true])) == errSecDuplicateItem)
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `updates and deletions do not meet tombstones`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(shared))
            delete(query(shared))
            #expect(update(query(shared), [kSecAttrLabel: "x"]) == errSecItemNotFound)
            #expect(delete(query(shared)) == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deleted item's persistent reference finds nothing, also where a tombstone is left`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(password(shared))
            let bytes = try reference(of: query(shared))
            delete(query(shared))
            #expect(find([kSecValuePersistentRef: bytes]).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a tombstone is asked for by every spelling of a truth value, and by no other`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "gone"))
            delete(query(account: "gone", ["u_Tomb": true]))
            add(password(account: "here"))
            for flag in [true, 1, "1"] as [Any] {
                try #expect(accounts(of: genericPasswords(["tomb": flag])) == ["gone"], "\(flag)")
            }
            for flag in [false, 0, "0"] as [Any] {
                try #expect(accounts(of: genericPasswords(["tomb": flag])) == ["here"], "\(flag)")
            }
            for value in [2, "yes", Data([1]), NSNull()] as [Any] {
                #expect(find(genericPasswords(["tomb": value])).status == errSecParam, "\(value)")
            }
        }
    }
}
