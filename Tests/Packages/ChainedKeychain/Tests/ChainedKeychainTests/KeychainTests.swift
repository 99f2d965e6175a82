import ChainedKeychain
import XCTest

final class KeychainTests: XCTestCase {
    private let keychain = Keychain(service: "com.example.chained")

    override func setUp() {
        super.setUp()
        for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword] {
            SecItemDelete(
                [kSecClass: itemClass, kSecAttrSynchronizable: kSecAttrSynchronizableAny] as CFDictionary
            )
        }
    }

    func testAValueIsSetChangedFoundAndRemoved() throws {
        keychain["alice"] = "first"
        XCTAssertEqual(keychain["alice"], "first")
        keychain["alice"] = "second"
        XCTAssertEqual(try keychain.get("alice"), "second")
        XCTAssertTrue(try keychain.contains("alice"))
        keychain["alice"] = nil
        XCTAssertNil(keychain["alice"])
        XCTAssertFalse(try keychain.contains("alice"))
    }

    func testRemoveAllRemovesAllOfOneServiceAndNothingElse() throws {
        let other = Keychain(service: "com.example.other")
        other["alice"] = "1"
        for account in ["alice", "bob", "carol"] { keychain[account] = account }
        try keychain.removeAll()
        XCTAssertEqual(keychain.allKeys(), [])
        XCTAssertEqual(other.allKeys(), ["alice"])
        XCTAssertNoThrow(try keychain.removeAll())
    }

    func testAllItemsAreListedWithWhatIsKnownOfThem() throws {
        try keychain.label("a label").comment("a comment").accessibility(.whenUnlocked).set("1", key: "alice")
        try keychain.set("2", key: "bob")
        let items = keychain.allItems().sorted { ($0["key"] as? String ?? "") < ($1["key"] as? String ?? "") }
        XCTAssertEqual(items.map { $0["key"] as? String }, ["alice", "bob"])
        XCTAssertEqual(items.map { $0["value"] as? String }, ["1", "2"])
        XCTAssertEqual(items[0]["label"] as? String, "a label")
        XCTAssertEqual(items[0]["comment"] as? String, "a comment")
        XCTAssertEqual(items.map { $0["accessibility"] as? Accessibility }, [.whenUnlocked, .afterFirstUnlock])
        XCTAssertNotNil(items[0]["created"] as? Date)
    }

    func testASynchronizableItemOfThisDeviceOnlyIsStored() throws {
        let odd = keychain.synchronizable(true).accessibility(.whenUnlockedThisDeviceOnly)
        try odd.set("1", key: "alice")
        try odd.set("2", key: "alice")
        let item = try XCTUnwrap(keychain.allItems().first)
        XCTAssertEqual(item["synchronizable"] as? Bool, true)
        XCTAssertEqual(item["accessibility"] as? Accessibility, .whenUnlockedThisDeviceOnly)
        XCTAssertEqual(item["value"] as? String, "2")
    }

    func testANamedGroupNeedsNoEntitlements() throws {
        let shared = Keychain(service: "com.example.chained", accessGroup: "TEAM.shared")
        shared["alice"] = "shared"
        keychain["bob"] = "own"
        XCTAssertEqual(shared.allItems().map { $0["accessGroup"] as? String }, ["TEAM.shared"])
        XCTAssertEqual(shared.allKeys(), ["alice"])
        // What names no group is about the program's own.
        XCTAssertEqual(keychain.allKeys(), ["bob"])
        try shared.removeAll()
        XCTAssertEqual(shared.allKeys(), [])
        XCTAssertEqual(keychain["bob"], "own")
    }

    func testAServersPasswordsAreApart() throws {
        let server = Keychain(server: try XCTUnwrap(URL(string: "https://example.com:8443")))
        server["alice"] = "of the server"
        keychain["alice"] = "of the service"
        XCTAssertEqual(server.allKeys(), ["alice"])
        XCTAssertEqual(server["alice"], "of the server")
        try server.removeAll()
        XCTAssertEqual(keychain["alice"], "of the service")
    }

    func testEveryAccessibilityIsAConstantOfItsOwn() {
        let all: [Accessibility] = [
            .whenUnlocked, .afterFirstUnlock, .always, .alwaysThisDeviceOnly, .whenPasscodeSetThisDeviceOnly,
            .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly,
        ]
        XCTAssertEqual(Set(all.map(\.rawValue)).count, all.count)
        XCTAssertEqual(all.map { Accessibility(rawValue: $0.rawValue) }, all)
        XCTAssertNil(Accessibility(rawValue: "never"))
    }

    func testAStatusIsAnError() {
        let error = Status(code: errSecItemNotFound) as NSError
        XCTAssertEqual(error.code, Int(errSecItemNotFound))
        XCTAssertFalse(error.localizedDescription.isEmpty)
    }
}
