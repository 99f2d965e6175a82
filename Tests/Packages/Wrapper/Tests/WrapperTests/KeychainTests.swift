import XCTest

@testable import Wrapper

final class KeychainTests: XCTestCase {
    private let keychain = Keychain(service: "com.example.tests")

    override func setUp() {
        SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: keychain.service] as CFDictionary)
    }

    func testAValueThatWasSetIsFound() throws {
        try keychain.set("first", for: "alice")
        XCTAssertEqual(try keychain.get("alice"), "first")
        keychain["alice"] = "second"
        XCTAssertEqual(keychain["alice"], "second")
    }

    func testAValueThatWasRemovedIsNotFound() throws {
        keychain["alice"] = "first"
        keychain["alice"] = nil
        XCTAssertNil(keychain["alice"])
        XCTAssertEqual(try keychain.accounts(), [])
    }

    func testAccountsAreListed() throws {
        keychain["alice"] = "1"
        keychain["bob"] = "2"
        XCTAssertEqual(try keychain.accounts().sorted(), ["alice", "bob"])
    }

    func testAnErrorHasADescription() {
        XCTAssertNotNil(KeychainError(status: errSecAuthFailed).errorDescription)
    }
}
