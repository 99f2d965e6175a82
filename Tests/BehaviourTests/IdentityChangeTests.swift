import Foundation
import Security
import Testing

@Suite("Updating and deleting identities")
struct IdentityChangeTests {
    /// A certificate and its key, both with the label "old".
    private func withIdentity(_ transport: Transport, _ body: () throws -> Void) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            add(certificate([kSecAttrLabel: "old"]))
            add(key([kSecAttrLabel: "old"]))
            try body()
        }
    }

    // MARK: - Updating

    @Test(arguments: Transport.allCases)
    func `an update of an identity changes certificate and key`(transport: Transport) throws {
        try withIdentity(transport) {
            #expect(update(identities([kSecAttrLabel: "old"]), [kSecAttrLabel: "new"]) == errSecSuccess)
            #expect(find(certificates([kSecAttrLabel: "new"])).status == errSecSuccess)
            #expect(find(keys([kSecAttrLabel: "new"])).status == errSecSuccess)
            #expect(find(identities([kSecAttrLabel: "new"])).status == errSecSuccess)
            try #expect(value(of: identities()) == keyData)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update of an identity without changes moves the modification date of both halves`(
        transport: Transport
    ) throws {
        try withIdentity(transport) {
            let before = try (attributes(of: certificates()), attributes(of: keys()))
            #expect(update(identities(), [:]) == errSecSuccess)
            let after = try (attributes(of: certificates()), attributes(of: keys()))
            #expect(try #require(after.0["mdat"] as? Date) > #require(before.0["mdat"] as? Date))
            #expect(try #require(after.1["mdat"] as? Date) > #require(before.1["mdat"] as? Date))
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update moves both halves to another group, and protects both anew`(transport: Transport) throws {
        try withIdentity(transport) {
            let changes: [CFString: Any] = [kSecAttrAccessGroup: "second", kSecAttrAccessible: "ck"]
            #expect(update(identities(), changes) == errSecSuccess)
            for query in [certificates(), keys()] {
                let item = try attributes(of: query)
                #expect(item["agrp"] as? String == "second")
                #expect(item["pdmn"] as? String == "ck")
            }
            #expect(update(identities(), [kSecAttrAccessGroup: "foreign"]) == errSecMissingEntitlement)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update that one half refuses changes neither`(transport: Transport) throws {
        try withIdentity(transport) {
            // A key like the one that the change would make, so that the certificate is changed and the key is refused.
            add(key([kSecAttrLabel: "obstacle", kSecAttrTokenID: "token"]))
            let changes: [CFString: Any] = [kSecAttrTokenID: "token", kSecAttrLabel: "new"]
            #expect(update(identities([kSecAttrLabel: "old"]), changes) == errSecDuplicateItem)
            #expect(find(certificates([kSecAttrLabel: "old"])).status == errSecSuccess)
            #expect(find(keys([kSecAttrLabel: "old"])).status == errSecSuccess)
            #expect(find(certificates([kSecAttrLabel: "new"])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update that matches one half alone is not found and changes nothing`(transport: Transport) throws {
        try withIdentity(transport) {
            update(keys(), [kSecAttrLabel: "key's own"])
            #expect(update(identities([kSecAttrLabel: "old"]), [kSecAttrLabel: "new"]) == errSecItemNotFound)
            #expect(update(identities([kSecAttrLabel: "key's own"]), [kSecAttrLabel: "new"]) == errSecItemNotFound)
            #expect(find(certificates([kSecAttrLabel: "old"])).status == errSecSuccess)
            #expect(find(keys([kSecAttrLabel: "key's own"])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update of an identity takes what both halves have, and no value`(transport: Transport) throws {
        try withIdentity(transport) {
            let changes: [(CFString, Any)] = [
                ("klbl", otherHash), ("atag", "x"), ("issr", Data()), ("pkhh", otherHash),
            ]
            for (name, value) in changes {
                #expect(update(identities(), [name: value]) == errSecNoSuchAttr, "\(name)")
                #expect(update(identities([name: value]), [kSecAttrLabel: "new"]) == errSecNoSuchAttr, "\(name)")
            }
            #expect(update(identities(), [kSecValueData: Data()]) == errSecParam)
            #expect(update(identities(), [kSecAttrAccount: "x"]) == errSecNoSuchAttr)
            #expect(update(identities(), [kSecClass: kSecClassIdentity]) == errSecNoSuchAttr)
            #expect(find(identities([kSecAttrLabel: "old"])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an identity is not updated by its persistent reference`(transport: Transport) throws {
        try withIdentity(transport) {
            let bytes = try reference(of: identities())
            // errSecInternal, which has no public constant.
            #expect(update([kSecValuePersistentRef: bytes], [kSecAttrLabel: "new"]) == -26276)
            #expect(update(identities([kSecValuePersistentRef: bytes]), [:]) == -26276)
            #expect(find(identities([kSecAttrLabel: "old"])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `limits and return keys go with an update or deletion of identities as with any other`(
        transport: Transport
    ) throws {
        try withIdentity(transport) {
            #expect(update(identities([kSecMatchLimit: kSecMatchLimitAll]), [:]) == errSecSuccess)
            #expect(update(identities([kSecMatchLimit: 0]), [:]) == errSecItemNotFound)
            #expect(delete(identities([kSecMatchLimit: 0])) == errSecItemNotFound)
            #expect(delete(identities([kSecMatchTrustedOnly: true])) == errSecParam)
            #expect(update(identities([kSecReturnData: true]), [:]) == errSecParam)
            #expect(update(identities([kSecReturnData: false]), [:]) == errSecSuccess)
            #expect(find(identities([kSecUseItemList: []])).status == errSecParam)
            #expect(delete(identities([kSecUseItemList: []])) == errSecParam)
            #expect(delete(identities([kSecReturnData: true])) == errSecSuccess)
        }
    }

    // MARK: - Deleting by attributes

    @Test(arguments: Transport.allCases)
    func `a deletion of identities deletes all certificates and all keys that match`(transport: Transport) throws {
        try withIdentity(transport) {
            add(certificate([kSecAttrSerialNumber: Data([2]), kSecAttrLabel: "old", kSecAttrPublicKeyHash: otherHash]))
            add(certificate([kSecAttrSerialNumber: Data([3]), kSecAttrLabel: "other"]))
            add(key([kSecAttrApplicationTag: "other", kSecAttrLabel: "other"]))
            #expect(delete(identities([kSecAttrLabel: "old"])) == errSecSuccess)
            try #expect(allAttributes(of: certificates()).map { $0["labl"] as? String } == ["other"])
            try #expect(allAttributes(of: keys()).map { $0["labl"] as? String } == ["other"])
            #expect(delete(identities()) == errSecSuccess)
            #expect(find(certificates()).status == errSecItemNotFound)
            #expect(find(keys()).status == errSecItemNotFound)
            #expect(delete(identities()) == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion that matches one half alone is not found and deletes nothing`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificate())
            #expect(delete(identities()) == errSecItemNotFound)
            #expect(find(certificates()).status == errSecSuccess)
            delete(certificates())
            add(key())
            #expect(delete(identities()) == errSecItemNotFound)
            #expect(find(keys()).status == errSecSuccess)
            add(certificate())
            #expect(delete(identities([kSecAttrLabel: "certificate"])) == errSecItemNotFound)
            #expect(find(identities()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion by what one half alone has deletes nothing`(transport: Transport) throws {
        try withIdentity(transport) {
            for (name, value) in [("klbl", keyHash), ("atag", ""), ("slnr", Data([1])), ("pkhh", keyHash)]
                as [(CFString, Any)]
            {
                #expect(delete(identities([name: value])) == errSecNoSuchAttr, "\(name)")
            }
            #expect(find(identities()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion of identities keeps to the group and to what is not synchronized`(transport: Transport) throws {
        try withIdentity(transport) {
            for more in [[kSecAttrAccessGroup: "second"], [kSecAttrSynchronizable: true]] as [[CFString: Any]] {
                add(certificate(more))
                add(key(more))
            }
            #expect(delete(identities([kSecAttrAccessGroup: "foreign"])) == errSecMissingEntitlement)
            #expect(delete(identities([kSecAttrAccessGroup: "second"])) == errSecSuccess)
            let any: [CFString: Any] = [kSecAttrSynchronizable: kSecAttrSynchronizableAny]
            try #expect(count(of: certificates(any)) == 2)
            try #expect(count(of: keys(any)) == 2)
            #expect(delete(identities()) == errSecSuccess)
            try #expect(count(of: certificates(any)) == 1)
            #expect(delete(identities(any)) == errSecSuccess)
            #expect(find(keys(any)).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deleted synchronizable identity leaves a tombstone of each half, unless told not to`(
        transport: Transport
    ) throws {
        let shared: [CFString: Any] = [kSecAttrSynchronizable: true]
        let tombstone: [CFString: Any] = [kSecAttrSynchronizable: true, "tomb": true]
        try withKeychain(transport) {
            for (more, leaves) in [([:], true), (["u_Tomb": false], false)] as [([CFString: Any], Bool)] {
                add(certificate(shared))
                add(key(shared))
                #expect(delete(identities(shared.merging(more) { $1 })) == errSecSuccess)
                for query in [certificates(tombstone), keys(tombstone)] {
                    #expect(find(query).status == (leaves ? errSecSuccess : errSecItemNotFound))
                }
            }
            add(certificate(shared))
            add(key(shared))
            let bytes = try reference(of: identities(shared))
            #expect(delete([kSecValuePersistentRef: bytes]) == errSecSuccess)
            for query in [certificates(tombstone), keys(tombstone)] {
                #expect(find(query).status == errSecSuccess)
            }
        }
    }

    // MARK: - Deleting by persistent reference

    @Test(arguments: Transport.allCases)
    func `a deletion by persistent reference removes both halves of the identity and no other`(
        transport: Transport
    ) throws {
        try withIdentity(transport) {
            add(certificate([kSecAttrSerialNumber: Data([2]), kSecAttrPublicKeyHash: otherHash]))
            add(key([kSecAttrApplicationLabel: otherHash]))
            let bytes = try reference(of: identities([kSecAttrLabel: "old"]))
            #expect(delete([kSecValuePersistentRef: bytes]) == errSecSuccess)
            #expect(find([kSecValuePersistentRef: bytes]).status == errSecItemNotFound)
            #expect(delete([kSecValuePersistentRef: bytes]) == errSecItemNotFound)
            try #expect(allAttributes(of: certificates()).map { $0["pkhh"] as? Data } == [otherHash])
            try #expect(allAttributes(of: keys()).map { $0["klbl"] as? Data } == [otherHash])
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion by persistent reference keeps the key that another certificate uses, in whatever group`(
        transport: Transport
    ) throws {
        try withIdentity(transport) {
            add(certificate([kSecAttrSerialNumber: Data([2]), kSecAttrAccessGroup: "second", kSecAttrLabel: "other"]))
            let first = try reference(of: identities([kSecAttrLabel: "old"]))
            let second = try reference(of: identities([kSecAttrLabel: "other"]))
            #expect(delete([kSecValuePersistentRef: first]) == errSecSuccess)
            #expect(find([kSecValuePersistentRef: first]).status == errSecItemNotFound)
            try #expect(value(of: [kSecValuePersistentRef: second]) == keyData)
            #expect(delete([kSecValuePersistentRef: second]) == errSecSuccess)
            #expect(find(keys()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a deletion by persistent reference takes the private key of a pair`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificate())
            add(key([kSecAttrKeyClass: kSecAttrKeyClassPublic]))
            add(key())
            let bytes = try reference(of: identities())
            #expect(delete([kSecValuePersistentRef: bytes]) == errSecSuccess)
            try #expect(allAttributes(of: keys()).map { $0["kcls"] as? Int } == [0])
        }
    }

    @Test(arguments: Transport.allCases)
    func `a certificate without its key is not deleted as an identity`(transport: Transport) throws {
        try withIdentity(transport) {
            let bytes = try reference(of: identities())
            delete(keys())
            #expect(delete([kSecValuePersistentRef: bytes]) == errSecItemNotFound)
            #expect(find(certificates()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `attributes beside a persistent reference do not matter to a deletion, but a group has to be the program's`(
        transport: Transport
    ) throws {
        try withIdentity(transport) {
            let bytes = try reference(of: identities())
            let foreign: [CFString: Any] = [kSecValuePersistentRef: bytes, kSecAttrAccessGroup: "foreign"]
            #expect(delete(foreign) == errSecMissingEntitlement)
            let other: [CFString: Any] = [kSecValuePersistentRef: bytes, kSecAttrAccessGroup: "second", "labl": "x"]
            #expect(delete(other) == errSecSuccess)
            #expect(find(keys()).status == errSecItemNotFound)
        }
    }
}
