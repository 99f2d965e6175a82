import Foundation
import Security
import Testing

@Suite("When a password may be read")
struct AccessibilityTests {
    /// All classes that can be stored while no passcode is set.
    private static let storable = ["ak", "ck", "dk", "aku", "cku", "dku"]

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a password that says nothing is accessible when unlocked`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        try withKeychain(transport) {
            add(itemClass.item())
            try #expect(attributes(of: itemClass.query)["pdmn"] as? String == kSecAttrAccessibleWhenUnlocked as String)
        }
    }

    @Test(arguments: Transport.allCases, PasswordClass.allCases)
    func `a password in the group of push notifications is always accessible on this device alone`(
        transport: Transport,
        itemClass: PasswordClass
    ) throws {
        let group = "com.apple.apsd"
        try withKeychain(transport, groups: ["test.default", group]) {
            add(itemClass.item([kSecAttrAccessGroup: group]))
            try #expect(attributes(of: itemClass.query)["pdmn"] as? String == "dku")
            add(itemClass.item(account: "bob", [kSecAttrAccessGroup: group, kSecAttrAccessible: "ck"]))
            try #expect(
                attributes(of: itemClass.query([kSecAttrAccount: "bob"]))["pdmn"] as? String == "ck"
            )
        }
    }

    @Test(arguments: Transport.allCases, storable)
    func `each accessibility is stored, returned and found`(transport: Transport, accessible: String) throws {
        try withKeychain(transport) {
            #expect(add(password([kSecAttrAccessible: accessible])) == errSecSuccess)
            try #expect(attributes(of: query())["pdmn"] as? String == accessible)
            try #expect(value(of: query([kSecAttrAccessible: accessible])) == secret)
            for other in Self.storable where other != accessible {
                #expect(find(query([kSecAttrAccessible: other])).status == errSecItemNotFound)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an accessibility that needs a passcode is refused, since none is set`(transport: Transport) throws {
        let passcode: [CFString: Any] = [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
        try withKeychain(transport) {
            #expect(add(password(passcode)) == errSecAuthFailed)
            #expect(find(query()).status == errSecItemNotFound)
            #expect(find(query(passcode)).status == errSecItemNotFound)
            add(password())
            #expect(update(query(), passcode) == errSecAuthFailed)
            try #expect(attributes(of: query())["pdmn"] as? String == "ak")
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `an unknown accessibility is an error`(transport: Transport, call: Call) throws {
        let values: [Any] = ["f", "AK", "ak ", "", "xx", Data("ak".utf8), 1, true, NSNull()]
        try withKeychain(transport) {
            for value in values {
                #expect(call(password([kSecAttrAccessible: value])) == errSecParam, "\(value)")
            }
            #expect(find(query()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, storable)
    func `an update changes the accessibility, and the value stays readable`(
        transport: Transport,
        accessible: String
    ) throws {
        try withKeychain(transport) {
            add(password([kSecAttrLabel: "label"]))
            #expect(update(query(), [kSecAttrAccessible: accessible]) == errSecSuccess)
            let item = try attributes(of: query())
            #expect(item["pdmn"] as? String == accessible)
            #expect(item["labl"] as? String == "label")
            try #expect(value(of: query()) == secret)
        }
    }
}
