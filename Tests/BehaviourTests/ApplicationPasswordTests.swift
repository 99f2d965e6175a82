import Foundation
import LocalAuthentication
import Security
import Testing

@Suite("Items under an application password")
struct ApplicationPasswordTests {
    private func control(_ flags: SecAccessControlCreateFlags = .applicationPassword) throws -> SecAccessControl {
        let protection = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        return try #require(SecAccessControlCreateWithFlags(nil, protection, flags, nil))
    }

    private func context(_ password: String) -> LAContext {
        let context = LAContext()
        #expect(context.setCredential(Data(password.utf8), type: .applicationPassword))
        return context
    }

    /// An item of alice's under a password, and one of bob's that has none.
    private func addBoth() throws {
        let guarded: [CFString: Any] = [
            kSecAttrAccessControl: try control(), kSecUseAuthenticationContext: context("open sesame"),
        ]
        #expect(add(password(account: "alice", guarded)) == errSecSuccess)
        #expect(add(password(account: "bob")) == errSecSuccess)
    }

    private func read(_ context: LAContext? = nil, _ more: [CFString: Any] = [:]) -> (OSStatus, Data?) {
        var query = query(account: "alice", more)
        query[kSecReturnData] = true
        query[kSecUseAuthenticationContext] = context
        let found = find(query)
        return (found.status, found.result as? Data)
    }

    @Test(arguments: Transport.allCases)
    func `the value is there for whoever has the password, and the attributes for the whole program`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            try addBoth()
            #expect(read(context("open sesame")) == (errSecSuccess, secret))
            #expect(read() == (errSecInteractionNotAllowed, nil))
            #expect(read(LAContext()) == (errSecInteractionNotAllowed, nil))
            #expect(read(context("open Sesame")) == (errSecAuthFailed, nil))
            #expect(try attributes(of: query(account: "alice"))["acct"] as? String == "alice")
            #expect(try attributes(of: query(account: "alice"))["accc"] as? SecAccessControl == control())
            // What an invalid context was given is forgotten.
            let ended = context("open sesame")
            ended.invalidate()
            #expect(read(ended) == (errSecInteractionNotAllowed, nil))
            #expect(delete(query(account: "alice")) == errSecSuccess)
            #expect(find(query(account: "alice")).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item is not stored without its password, or under one that is none`(transport: Transport) throws {
        try withKeychain(transport) {
            let guarded = password(account: "alice", [kSecAttrAccessControl: try control()])
            #expect(add(guarded) == errSecInteractionNotAllowed)
            for bad in [Data(), Data(repeating: 1, count: 1_025), Data(repeating: 1, count: 1 << 20)] {
                let context = LAContext()
                context.setCredential(bad, type: .applicationPassword)
                #expect(add(guarded.merging([kSecUseAuthenticationContext: context]) { $1 }) == errSecParam)
            }
            #expect(find(query(account: "alice")).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `nothing of the item changes without its password, its protection least of all`(transport: Transport) throws {
        try withKeychain(transport) {
            try addBoth()
            let changes: [[CFString: Any]] = [
                [kSecAttrLabel: "new"], [kSecValueData: Data("new".utf8)],
                [kSecAttrAccessible: kSecAttrAccessibleAlways],
            ]
            for change in changes {
                #expect(update(query(account: "alice"), change) == errSecInteractionNotAllowed)
            }
            let wrong: [CFString: Any] = [kSecUseAuthenticationContext: context("wrong")]
            #expect(update(query(account: "alice", wrong), changes[2]) == errSecAuthFailed)
            #expect(read(context("open sesame")) == (errSecSuccess, secret))
            let right: [CFString: Any] = [kSecUseAuthenticationContext: context("open sesame")]
            #expect(update(query(account: "alice", right), changes[1]) == errSecSuccess)
            #expect(read() == (errSecInteractionNotAllowed, nil))
            #expect(read(context("open sesame")) == (errSecSuccess, Data("new".utf8)))
            #expect(update(query(account: "alice", right), changes[2]) == errSecSuccess)
            #expect(read() == (errSecSuccess, Data("new".utf8)))
        }
    }

    @Test(arguments: Transport.allCases)
    func `a search for all fails or leaves the item out, as it was asked to`(transport: Transport) throws {
        try withKeychain(transport) {
            try addBoth()
            let all: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true,
            ]
            func found(_ choice: CFString) -> (OSStatus, [Data]?) {
                let found = find(all.merging([kSecUseAuthenticationUI: choice]) { $1 })
                return (found.status, found.result as? [Data])
            }
            #expect(found(kSecUseAuthenticationUIFail) == (errSecInteractionNotAllowed, nil))
            #expect(found(kSecUseAuthenticationUISkip) == (errSecSuccess, [secret]))
            let right = find(all.merging([kSecUseAuthenticationContext: context("open sesame")]) { $1 })
            #expect((right.result as? [Data])?.count == 2)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the item's name is taken, whether or not one has its password`(transport: Transport) throws {
        try withKeychain(transport) {
            try addBoth()
            #expect(add(password(account: "alice")) == errSecDuplicateItem)
            #expect(read(context("open sesame")) == (errSecSuccess, secret))
        }
    }

    @Test(arguments: Transport.allCases)
    func `a password protects nothing that is public`(transport: Transport) throws {
        try withKeychain(transport) {
            let certificate: [CFString: Any] = [
                kSecClass: kSecClassCertificate, kSecAttrLabel: "a certificate", kSecAttrAccessControl: try control(),
                kSecUseAuthenticationContext: context("open sesame"),
            ]
            #expect(add(certificate) == errSecUnimplemented)
        }
    }
}
