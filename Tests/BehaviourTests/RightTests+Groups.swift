import Foundation
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

/// Whose a right is, where programs share groups, and what is no right though it looks like one.
extension RightTests {
    /// What rights' passwords and keys are called, and what marks them.
    private static let name = "chatelaine.LARight"
    private static var marks: [CFString: Any] { [kSecAttrCreator: 0x4C41_5274, kSecAttrType: 1] }

    private func find(_ identifier: String) -> Int? {
        code { _ = try wait { store.right(forIdentifier: identifier, completion: $0) } as LAPersistedRight }
    }

    private func save(_ identifier: String, _ requirement: LAAuthenticationRequirement = .default) -> Int? {
        code {
            _ =
                try wait {
                    store.saveRight(LARight(requirement: requirement), identifier: identifier, completion: $0)
                } as LAPersistedRight
        }
    }

    /// Stores by hand what makes a right, in any group.
    private func plant(
        _ identifier: String,
        in group: String,
        _ flags: SecAccessControlCreateFlags = .userPresence,
        marks: [CFString: Any] = Self.marks
    ) throws {
        func control(_ more: SecAccessControlCreateFlags) throws -> SecAccessControl {
            try #require(
                SecAccessControlCreateWithFlags(
                    nil,
                    kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                    flags.union(more),
                    nil
                )
            )
        }
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrLabel: Self.name, kSecAttrAccessGroup: group,
                kSecAttrApplicationTag: Data((Self.name + " 1 " + identifier).utf8),
                kSecAttrAccessControl: try control(.privateKeyUsage),
            ] as [CFString: Any],
        ]
        let key = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
        let label = try #require((SecKeyCopyAttributes(key) as NSDictionary?)?[kSecAttrApplicationLabel] as? Data)
        var item = password(account: identifier, service: Self.name, marks)
        item[kSecAttrAccessGroup] = group
        item[kSecAttrGeneric] = label
        item[kSecValueData] = Data([1, 7])
        if !flags.isEmpty { item[kSecAttrAccessControl] = try control([]) }
        #expect(add(item) == errSecSuccess)
    }

    private func passwords(in group: String) throws -> Int {
        let query = genericPasswords([kSecAttrAccessGroup: group])
        return status(query) == errSecItemNotFound ? 0 : try count(of: query)
    }

    @Test(arguments: Transport.allCases)
    func `a right that another program plants in a shared group is not taken for the program's own`(
        transport: Transport
    ) async throws {
        try await Self.onOwnThread {
            let keychain = try KeychainFixture(transport)
            try keychain.asProgram(groups: ["shared", "mallory"], ownGroup: "mallory") {
                // As exact a copy as can be, and what the store itself makes.
                try plant("token", in: "shared")
                #expect(save("token") == nil)
                #expect(try passwords(in: "shared") == 1 && passwords(in: "mallory") == 1)
            }
            try keychain.asProgram(groups: ["shared", "alice"], ownGroup: "alice") {
                #expect(find("token") == Int(errSecItemNotFound))
                #expect(
                    code { try wait { store.removeRight(forIdentifier: "token", completion: $0) } }
                        == Int(errSecItemNotFound)
                )
                #expect(save("token", .biometry) == nil)
                #expect(find("token") == nil)
                #expect(try passwords(in: "alice") == 1)
                try wait { store.removeAllRights(completion: $0) }
                #expect(try passwords(in: "alice") == 0 && passwords(in: "shared") == 1)
            }
            keychain.asProgram(groups: ["shared", "mallory"], ownGroup: "mallory") {
                #expect(find("token") == nil)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `what only looks like a right is none, and stays where all rights are removed`(transport: Transport)
        async throws
    {
        try await Self.onOwnThread {
            let keychain = try KeychainFixture(transport)
            try keychain.asProgram(groups: ["alice"]) {
                // Passwords of the program's own under the same service: unmarked, half marked, and without a demand.
                try plant("unmarked", in: "alice", marks: [:])
                try plant("half", in: "alice", marks: [kSecAttrCreator: 0x4C41_5274])
                try plant("later", in: "alice", marks: [kSecAttrCreator: 0x4C41_5274, kSecAttrType: 2])
                #expect(add(password(account: "open", service: Self.name, Self.marks)) == errSecSuccess)
                #expect(add(password(account: "other", service: "LARight")) == errSecSuccess)
                for identifier in ["unmarked", "half", "later", "open", "other"] {
                    #expect(find(identifier) == Int(errSecItemNotFound), "\(identifier)")
                }
                // It is taken, though not by a right.
                #expect(save("unmarked") == Int(errSecDuplicateItem))
                let key: [CFString: Any] = [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                    kSecPrivateKeyAttrs: [
                        kSecAttrIsPermanent: true, kSecAttrLabel: Self.name,
                        kSecAttrApplicationTag: Data("the program's own".utf8),
                    ] as [CFString: Any],
                ]
                _ = try #require(SecKeyCreateRandomKey(key as CFDictionary, nil))
                #expect(save("token") == nil)
                #expect(try passwords(in: "alice") == 6)
                try wait { store.removeAllRights(completion: $0) }
                #expect(find("token") == Int(errSecItemNotFound))
                // The marked one without a demand goes: no other program can have stored it there.
                #expect(try passwords(in: "alice") == 4)
                let left = BehaviourTests.find(keys([kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]))
                let tags = (left.result as? [[String: Any]])?.compactMap {
                    $0[kSecAttrApplicationTag as String] as? Data
                }
                #expect(tags == [Data("the program's own".utf8)])
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a program of which nothing says which group is its own stores no rights`(transport: Transport) async throws {
        try await Self.onOwnThread {
            let keychain = try KeychainFixture(transport)
            keychain.asProgram(groups: ["a", "b"]) {
                #expect(save("token") == Int(errSecMissingEntitlement))
                #expect(find("token") == Int(errSecMissingEntitlement))
                #expect(
                    code { try wait { store.removeAllRights(completion: $0) } } == Int(errSecMissingEntitlement)
                )
            }
            // The control: one of them is.
            keychain.asProgram(groups: ["a", "b"], ownGroup: "b") { #expect(save("token") == nil) }
        }
    }

    @Test(arguments: Transport.inThisProcess)
    func `a right is authorized also where the program's own group is the last of many`(transport: Transport)
        async throws
    {
        try await Self.onOwnThread {
            let keychain = try AttendedKeychain(transport, .secret("open sesame"))
            try keychain.fixture.asProgram(groups: ["a", "b", "c", "d", "e", "own"], ownGroup: "own") {
                let right: LAPersistedRight = try wait {
                    store.saveRight(LARight(), identifier: "token", secret: Data([7]), completion: $0)
                }
                try wait { right.authorize(localizedReason: "Log in", completion: $0) }
                #expect(try wait { right.secret.loadData(completion: $0) } as Data == Data([7]))
                #expect(keychain.person.shown.contains("own"))
            }
        }
    }
}
