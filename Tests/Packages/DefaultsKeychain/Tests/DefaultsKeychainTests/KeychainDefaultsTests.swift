import DefaultsKeychain
import Foundation
import XCTest

final class KeychainDefaultsTests: XCTestCase {
    private let defaults = KeychainDefaults(serviceName: "com.example.defaults")

    override func setUpWithError() throws { KeychainDefaults.wipeKeychain() }

    func testValuesOfEachKindAreKept() {
        XCTAssertTrue(defaults.set("a string", forKey: "string"))
        XCTAssertTrue(defaults.set(42, forKey: "integer"))
        XCTAssertTrue(defaults.set(1.5, forKey: "double"))
        XCTAssertTrue(defaults.set(true, forKey: "bool"))
        XCTAssertEqual(defaults.string(forKey: "string"), "a string")
        XCTAssertEqual(defaults.integer(forKey: "integer"), 42)
        XCTAssertEqual(defaults.double(forKey: "double"), 1.5)
        XCTAssertEqual(defaults.bool(forKey: "bool"), true)
        XCTAssertNil(defaults.data(forKey: "nothing"))
        XCTAssertEqual(defaults.lastResultCode, errSecItemNotFound)
    }

    func testAValueIsReplaced() {
        defaults.set("first", forKey: "key", withAccessibility: .afterFirstUnlock)
        XCTAssertEqual(defaults.accessibilityOfKey("key"), .afterFirstUnlock)
        defaults.set("second", forKey: "key", withAccessibility: .whenUnlocked)
        XCTAssertEqual(defaults.string(forKey: "key"), "second")
        XCTAssertEqual(defaults.accessibilityOfKey("key"), .whenUnlocked)
        XCTAssertEqual(defaults.allKeys(), ["key"])
    }

    func testAllKeysOfAServiceAreListedAndRemoved() {
        let other = KeychainDefaults(serviceName: "com.example.other")
        other.set("1", forKey: "other")
        for key in ["a", "b", "ü"] { defaults.set(key, forKey: key) }
        XCTAssertEqual(defaults.allKeys(), ["a", "b", "ü"])
        XCTAssertTrue(defaults.removeObject(forKey: "a"))
        XCTAssertFalse(defaults.removeObject(forKey: "a"))
        XCTAssertTrue(defaults.removeAllKeys())
        XCTAssertEqual(defaults.allKeys(), [])
        XCTAssertEqual(other.allKeys(), ["other"])
        KeychainDefaults.wipeKeychain()
        XCTAssertEqual(other.allKeys(), [])
    }

    func testAReferenceStaysTheSameWhileTheValueChanges() throws {
        defaults.set("first", forKey: "key")
        let reference = try XCTUnwrap(defaults.dataRef(forKey: "key"))
        defaults.set("second", forKey: "key")
        XCTAssertEqual(defaults.dataRef(forKey: "key"), reference)
    }

    func testASynchronizableValueOfThisDeviceOnlyIsKept() {
        defaults.synchronizable = true
        XCTAssertTrue(defaults.set("1", forKey: "key", withAccessibility: .afterFirstUnlockThisDeviceOnly))
        XCTAssertTrue(defaults.set("2", forKey: "key", withAccessibility: .whenUnlockedThisDeviceOnly))
        XCTAssertEqual(defaults.string(forKey: "key"), "2")
        XCTAssertEqual(defaults.accessibilityOfKey("key"), .whenUnlockedThisDeviceOnly)
        XCTAssertTrue(defaults.removeAllKeys())
    }

    func testAGroupThatIsNamedNeedsNoEntitlements() {
        let shared = KeychainDefaults(serviceName: "com.example.defaults", accessGroup: "TEAM.com.example.shared")
        XCTAssertTrue(shared.set("shared", forKey: "key"))
        let other = KeychainDefaults(serviceName: "com.example.defaults", accessGroup: "other")
        XCTAssertTrue(other.set("2", forKey: "key"))
        XCTAssertEqual(shared.string(forKey: "key"), "shared")
        XCTAssertEqual(shared.allKeys(), ["key"])
        XCTAssertTrue(shared.removeAllKeys())
        XCTAssertFalse(shared.hasValue(forKey: "key"))
        XCTAssertEqual(other.string(forKey: "key"), "2")
    }
}
