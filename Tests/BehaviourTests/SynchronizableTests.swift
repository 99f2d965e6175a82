import Foundation
import Security
import Testing

@Suite("Synchronizable passwords")
struct SynchronizableTests {
    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a search that does not ask for synchronizable items finds none`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            #expect(add(itemClass.item([kSecAttrSynchronizable: true])) == errSecSuccess)
            #expect(find(itemClass.query).status == errSecItemNotFound)
            #expect(find(itemClass.query([kSecAttrSynchronizable: false])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a search for synchronizable items finds no others`(transport: Transport, itemClass: PasswordClass) throws {
        try withKeychain(transport) {
            add(itemClass.item(account: "local"))
            add(itemClass.item(account: "shared", [kSecAttrSynchronizable: true]))
            try #expect(accounts(of: itemClass.query([kSecAttrSynchronizable: true])) == ["shared"])
            try #expect(accounts(of: itemClass.query) == ["local"])
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a search for any kind finds both`(transport: Transport, itemClass: PasswordClass) throws {
        try withKeychain(transport) {
            add(itemClass.item(account: "local"))
            add(itemClass.item(account: "shared", [kSecAttrSynchronizable: true]))
            let any: [CFString: Any] = [kSecAttrSynchronizable: kSecAttrSynchronizableAny]
            try #expect(accounts(of: itemClass.query(any)) == ["local", "shared"])
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `one item may exist once for this device and once for all`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            #expect(add(itemClass.item()) == errSecSuccess)
            #expect(add(itemClass.item([kSecAttrSynchronizable: true])) == errSecSuccess)
            #expect(add(itemClass.item()) == errSecDuplicateItem)
            #expect(add(itemClass.item([kSecAttrSynchronizable: true])) == errSecDuplicateItem)
        }
    }

    @Test(arguments: Transport.allCases)
    func `every spelling of a truth value is understood`(transport: Transport) throws {
        let yes: [Any] = [true, kCFBooleanTrue!, 1, NSNumber(value: 1), "1"]
        let no: [Any] = [false, kCFBooleanFalse!, 0, NSNumber(value: false), "0"]
        try withKeychain(transport) {
            for flag in yes {
                #expect(add(password([kSecAttrSynchronizable: flag])) == errSecSuccess, "\(flag)")
                let item = try attributes(of: query([kSecAttrSynchronizable: flag]))
                #expect(item["sync"] as? Int == 1, "\(flag)")
                #expect(isNumber(item["sync"]))
                #expect(delete(query([kSecAttrSynchronizable: flag, "u_Tomb": false])) == errSecSuccess, "\(flag)")
            }
            for flag in no {
                #expect(add(password([kSecAttrSynchronizable: flag])) == errSecSuccess, "\(flag)")
                #expect(find(query([kSecAttrSynchronizable: flag])).status == errSecSuccess, "\(flag)")
                #expect(delete(query()) == errSecSuccess, "\(flag)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `what is no truth value is an error`(transport: Transport, call: Call) throws {
        let values: [Any] = ["yes", "", 2, -1, Data([1]), NSNull(), Date(), [true]]
        try withKeychain(transport) {
            add(password())
            for value in values {
                #expect(call(password([kSecAttrSynchronizable: value])) == errSecParam, "\(value)")
            }
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a new item cannot be of any kind`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(password([kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `updates and deletions too leave synchronizable items alone unless asked for`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password([kSecAttrSynchronizable: true]))
            #expect(update(query(), [kSecAttrLabel: "x"]) == errSecItemNotFound)
            #expect(delete(query()) == errSecItemNotFound)
            #expect(update(query([kSecAttrSynchronizable: true]), [kSecAttrLabel: "x"]) == errSecSuccess)
            let any: [CFString: Any] = [kSecAttrSynchronizable: kSecAttrSynchronizableAny]
            #expect(update(query(any), [kSecAttrLabel: "y"]) == errSecSuccess)
            try #expect(attributes(of: query(any))["labl"] as? String == "y")
            #expect(delete(query(any)) == errSecSuccess)
            #expect(find(query(any)).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item becomes synchronizable by an update, and back`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(update(query(), [kSecAttrSynchronizable: true]) == errSecSuccess)
            #expect(find(query()).status == errSecItemNotFound)
            try #expect(value(of: query([kSecAttrSynchronizable: true])) == secret)
            #expect(update(query([kSecAttrSynchronizable: true]), [kSecAttrSynchronizable: false]) == errSecSuccess)
            try #expect(value(of: query()) == secret)
            #expect(find(query([kSecAttrSynchronizable: true])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item that becomes synchronizable beside its twin is a duplicate`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            add(password([kSecAttrSynchronizable: true]))
            #expect(update(query(), [kSecAttrSynchronizable: true]) == errSecDuplicateItem)
            #expect(find(query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases, ["aku", "cku", "dku"])
    func `an item of this device alone may be synchronizable, as it may with Apple`(
        transport: Transport,
        accessible: String
    ) throws {
        let both: [CFString: Any] = [kSecAttrAccessible: accessible, kSecAttrSynchronizable: true]
        try withKeychain(transport) {
            #expect(add(password(account: "new", both)) == errSecSuccess)
            let new = query(account: "new", [kSecAttrSynchronizable: true])
            try #expect(attributes(of: new)["pdmn"] as? String == accessible)
            add(password())
            #expect(update(query(), both) == errSecSuccess)
            try #expect(attributes(of: query([kSecAttrSynchronizable: true]))["pdmn"] as? String == accessible)
            add(password(account: "shared", [kSecAttrSynchronizable: true]))
            let shared = query(account: "shared", [kSecAttrSynchronizable: true])
            #expect(update(shared, [kSecAttrAccessible: accessible]) == errSecSuccess)
            try #expect(attributes(of: shared)["pdmn"] as? String == accessible)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item of this device alone becomes synchronizable, and keeps its protection`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password([kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly]))
            #expect(update(query(), [kSecAttrSynchronizable: true]) == errSecSuccess)
            try #expect(attributes(of: query([kSecAttrSynchronizable: true]))["pdmn"] as? String == "aku")
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item with an access control cannot be synchronizable`(transport: Transport) throws {
        try withKeychain(transport) {
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil)
            )
            let conflict: [CFString: Any] = [kSecAttrAccessControl: control, kSecAttrSynchronizable: true]
            #expect(add(password(conflict)) == errSecParam)
            add(password())
            #expect(update(query(), conflict) == errSecParam)
            add(password(account: "bob", [kSecAttrAccessControl: control]))
            #expect(update(query(account: "bob"), [kSecAttrSynchronizable: true]) == errSecParam)
            add(password(account: "carol", [kSecAttrSynchronizable: true]))
            let carol = query(account: "carol", [kSecAttrSynchronizable: true])
            #expect(update(carol, [kSecAttrAccessControl: control]) == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the access control that a synchronizable item is returned with goes back in`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password([kSecAttrSynchronizable: true]))
            let control = try #require(
                try attributes(of: query([kSecAttrSynchronizable: true]))["accc"] as? SecAccessControl
            )
            let item = password(account: "bob", [kSecAttrAccessControl: control, kSecAttrSynchronizable: true])
            #expect(add(item) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item with constraints cannot be synchronizable, whether or not they can be enforced`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            for flags in [.userPresence, .applicationPassword, .privateKeyUsage] as [SecAccessControlCreateFlags] {
                let control = try #require(
                    SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
                )
                let conflict: [CFString: Any] = [kSecAttrAccessControl: control, kSecAttrSynchronizable: true]
                #expect(add(password(conflict)) == errSecParam, "\(flags)")
                add(password())
                #expect(update(query(), conflict) == errSecParam, "\(flags)")
                delete(query())
            }
        }
    }
}
