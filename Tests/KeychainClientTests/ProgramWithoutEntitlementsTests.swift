import EnclaveInterface
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Security
import Testing

/// What a program gets that nothing says the groups of, as in a package's own tests.
@Suite("A program without entitlements")
struct ProgramWithoutEntitlementsTests {
    private func withKeychain(_ groups: AccessGroups, passcode: String? = nil, _ body: () throws -> Void) throws {
        let keychain = EmbeddedKeychain(
            .memory,
            caller: Caller(name: "program", groups: groups),
            passcode: passcode.map { .variable(SecretBytes($0.utf8)) }
        )
        try CurrentKeychain.$override.withValue(keychain, operation: body)
    }

    private func item(_ attributes: [CFString: Any]) -> CFDictionary {
        attributes.merging([kSecClass: kSecClassGenericPassword, kSecAttrAccount: "alice"]) { $1 } as CFDictionary
    }

    @Test
    func `any group that it names is its own, in all four calls`() throws {
        try withKeychain(AccessGroups(["program"]).acceptingAnyName) {
            let named: [CFString: Any] = [kSecAttrAccessGroup: "TEAM.shared"]
            #expect(SecItemAdd(item(named), nil) == errSecSuccess)
            #expect(SecItemCopyMatching(item(named), nil) == errSecSuccess)
            // What names no group is about the program's own.
            #expect(SecItemCopyMatching(item([:]), nil) == errSecItemNotFound)
            #expect(SecItemUpdate(item(named), [kSecAttrAccessGroup: "TEAM.other"] as CFDictionary) == errSecSuccess)
            #expect(SecItemDelete(item([kSecAttrAccessGroup: "TEAM.other"])) == errSecSuccess)
        }
    }

    @Test
    func `a persistent reference finds an item in a group that was named`() throws {
        try withKeychain(AccessGroups(["program"]).acceptingAnyName) {
            var reference: CFTypeRef?
            let added: [CFString: Any] = [kSecAttrAccessGroup: "TEAM.shared", kSecReturnPersistentRef: true]
            #expect(SecItemAdd(item(added), &reference) == errSecSuccess)
            let query = [kSecValuePersistentRef: try #require(reference as? Data)] as CFDictionary
            #expect(SecItemCopyMatching(query, nil) == errSecSuccess)
            #expect(SecItemDelete(query) == errSecSuccess)
        }
    }

    @Test
    func `nobody writes into the group of token items`() throws {
        try withKeychain(AccessGroups(["program"]).acceptingAnyName) {
            #expect(SecItemAdd(item([kSecAttrAccessGroup: "com.apple.token"]), nil) == errSecMissingEntitlement)
            #expect(SecItemDelete(item([kSecAttrAccessGroup: "com.apple.token"])) == errSecMissingEntitlement)
        }
    }

    @Test
    func `with entitlements a group that they do not name is foreign`() throws {
        try withKeychain(AccessGroups(["program"])) {
            #expect(SecItemAdd(item([kSecAttrAccessGroup: "TEAM.shared"]), nil) == errSecMissingEntitlement)
        }
    }

    @Test
    func `a keychain that is given a passcode holds items that need one`() throws {
        let guarded: [CFString: Any] = [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
        try withKeychain(AccessGroups(["program"])) {
            #expect(SecItemAdd(item(guarded), nil) == errSecAuthFailed)
        }
        try withKeychain(AccessGroups(["program"]), passcode: "1234") {
            #expect(SecItemAdd(item(guarded), nil) == errSecSuccess)
            #expect(SecItemCopyMatching(item([:]), nil) == errSecSuccess)
        }
    }

    @Test
    func `a keychain in a folder is unlocked with its passcode when it is opened, and not with another`() throws {
        let folder = try TestKeychain()
        func keychain(_ passcode: String) -> EmbeddedKeychain {
            EmbeddedKeychain(
                .embedded(directory: folder.path),
                caller: Caller(name: "program", groups: AccessGroups(["program"])),
                cost: .uncheckedLeast,
                passcode: .variable(SecretBytes(passcode.utf8))
            )
        }
        CurrentKeychain.$override.withValue(keychain("1234")) {
            #expect(SecItemAdd(item([:]), nil) == errSecSuccess)
        }
        CurrentKeychain.$override.withValue(keychain("1234")) {
            #expect(SecItemCopyMatching(item([:]), nil) == errSecSuccess)
        }
        CurrentKeychain.$override.withValue(keychain("4321")) {
            #expect(SecItemCopyMatching(item([:]), nil) == errSecAuthFailed)
        }
    }
}
