import Foundation
import Security
import Testing

/// What holds for certificates and for keys alike, given by attributes and data.
@Suite("Certificates and keys as items")
struct CertificateAndKeyTests {
    private let shared: [CFString: Any] = [kSecAttrSynchronizable: true]
    private let tombstones: [CFString: Any] = [kSecAttrSynchronizable: kSecAttrSynchronizableAny, "tomb": true]

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an item is added, found, changed and deleted`(transport: Transport, half: IdentityHalf) throws {
        try withKeychain(transport) {
            #expect(add(half.item()) == errSecSuccess)
            try #expect(value(of: half.query()) == half.data)
            #expect(add(half.item()) == errSecDuplicateItem)
            #expect(update(half.query(), [kSecValueData: Data("new".utf8), kSecAttrLabel: "new"]) == errSecSuccess)
            try #expect(value(of: half.query([kSecAttrLabel: "new"])) == Data("new".utf8))
            #expect(delete(half.query()) == errSecSuccess)
            #expect(delete(half.query()) == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an item may have no data, which is not empty data`(transport: Transport, half: IdentityHalf) throws {
        try withKeychain(transport) {
            add(half.query([kSecAttrLabel: "none"]))
            let found = find(half.query([kSecReturnData: true]))
            #expect(found.status == errSecSuccess)
            #expect(found.result == nil)
            update(half.query(), [kSecValueData: Data()])
            try #expect(value(of: half.query()) == Data())
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `the same item may exist once in each group, and once more as a synchronizable one`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            #expect(add(half.item()) == errSecSuccess)
            #expect(add(half.item([kSecAttrAccessGroup: "second"])) == errSecSuccess)
            #expect(add(half.item(shared.merging([kSecAttrAccessible: "ck"]) { $1 })) == errSecSuccess)
            try #expect(count(of: half.query()) == 2)
            try #expect(count(of: half.query([kSecAttrSynchronizable: kSecAttrSynchronizableAny])) == 3)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `a view hint and a token are part of what makes an item unique`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport) {
            #expect(add(half.item()) == errSecSuccess)
            for name in ["vwht", "tkid"] as [CFString] {
                #expect(add(half.item([name: "one"])) == errSecSuccess)
                #expect(add(half.item([name: "two"])) == errSecSuccess)
                #expect(add(half.item([name: "two"])) == errSecDuplicateItem)
                #expect(add(half.item([name: ""])) == errSecDuplicateItem)
            }
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `data and text of the same bytes find an item, which keeps the type that its attribute has`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        let keys: [CFString] =
            switch half {
            case .certificate: ["issr", "slnr", "subj", "skid", "pkhh"]
            case .key: ["klbl"]
            }
        try withKeychain(transport) {
            for key in keys {
                add(half.query([key: "text"]))
                try #expect(
                    attributes(of: half.query([key: Data("text".utf8)]))[key as String] as? Data == Data("text".utf8)
                )
                #expect(find(half.query([key: "text"])).status == errSecSuccess, "\(key)")
                #expect(find(half.query([key: "Text"])).status == errSecItemNotFound, "\(key)")
                delete(half.query())
            }
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an item is found by the dates that it got`(transport: Transport, half: IdentityHalf) throws {
        try withKeychain(transport) {
            add(half.item([kSecAttrCreationDate: Date(timeIntervalSince1970: 0)]))
            let item = try attributes(of: half.query())
            for key in ["cdat", "mdat"] {
                let date = try #require(item[key] as? Date)
                #expect(abs(date.timeIntervalSinceNow) < 600)
                #expect(find(half.query([key as CFString: date])).status == errSecSuccess)
                #expect(find(half.query([key as CFString: date.addingTimeInterval(1)])).status == errSecItemNotFound)
            }
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `what a search returned, less the digest, finds the item again`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport) {
            add(half.item([kSecAttrLabel: "wanted"]))
            let name: CFString = half == .certificate ? kSecAttrSerialNumber : kSecAttrApplicationLabel
            add(half.item([kSecAttrLabel: "other", name: otherHash]))
            try #expect(count(of: half.query()) == 2)
            let wanted = half.query([kSecAttrLabel: "wanted"])
            var again = try attributes(of: wanted)
            again["class"] = half.className
            again["r_PersistentRef"] = true
            again["m_Limit"] = "m_LimitAll"
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(again as CFDictionary, &result) == errSecSuccess)
            try #expect(result as? [Data] == [reference(of: wanted)])
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `the digest is returned by an add, and by a search that returns the data too, and finds the item`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport) {
            let added = addReturning(half.item([kSecReturnAttributes: true]))
            let digest = try #require((added.result as? [String: Any])?["sha1"] as? Data)
            #expect(digest.count == 20)
            try #expect(attributes(of: half.query())["sha1"] == nil)
            let found = find(half.query([kSecReturnAttributes: true, kSecReturnData: true])).result as? [String: Any]
            #expect(found?["sha1"] as? Data == digest)
            #expect(found?["v_Data"] as? Data == half.data)
            try #expect(value(of: half.query(["sha1": digest])) == half.data)
            update(half.query(), [kSecValueData: Data("new".utf8)])
            #expect(find(half.query(["sha1": digest])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `a persistent reference names its class, and finds, changes and deletes its item alone`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport, groups: ["first", "second"]) {
            add(half.item())
            add(half.item([kSecAttrAccessGroup: "second"]))
            let bytes = try reference(of: half.query([kSecAttrAccessGroup: "first"]))
            #expect(bytes.count == 20)
            #expect(bytes.prefix(4) == Data(half.className.utf8))
            try #expect(value(of: [kSecValuePersistentRef: bytes]) == half.data)
            try #expect(reference(of: half.query([kSecValuePersistentRef: bytes])) == bytes)
            #expect(find(genericPasswords([kSecValuePersistentRef: bytes])).status == errSecNoSuchClass)
            let changes: [CFString: Any] = [kSecAttrLabel: "new", kSecAttrTokenID: "token"]
            #expect(update([kSecValuePersistentRef: bytes], changes) == errSecSuccess)
            try #expect(reference(of: half.query([kSecAttrLabel: "new"])) == bytes)
            #expect(delete([kSecValuePersistentRef: bytes]) == errSecSuccess)
            #expect(find([kSecValuePersistentRef: bytes]).status == errSecItemNotFound)
            try #expect(count(of: half.query()) == 1)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `a deleted synchronizable item leaves a tombstone of its primary key, which a new item replaces`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport) {
            let item = half.item(shared.merging([kSecAttrAccessible: "ck"]) { $1 })
            add(item)
            #expect(delete(half.query(shared)) == errSecSuccess)
            #expect(find(half.query([kSecAttrSynchronizable: kSecAttrSynchronizableAny])).status == errSecItemNotFound)
            let tombstone = try attributes(of: half.query(tombstones))
            #expect(tombstone["tomb"] as? Int == 1)
            switch half {
            case .certificate:
                #expect(tombstone["slnr"] as? Data == Data([1]))
                #expect(tombstone["pkhh"] == nil)
            case .key:
                #expect(tombstone["klbl"] as? Data == keyHash)
                #expect(tombstone["priv"] == nil)
            }
            #expect(tombstone["labl"] == nil)
            #expect(add(item) == errSecSuccess)
            #expect(find(half.query(tombstones)).status == errSecItemNotFound)
            #expect(delete(half.query(shared.merging(["u_Tomb": false]) { $1 })) == errSecSuccess)
            #expect(find(half.query(tombstones)).status == errSecItemNotFound)
            add(half.item())
            #expect(delete(half.query()) == errSecSuccess)
            #expect(find(half.query(tombstones)).status == errSecItemNotFound)
            add(half.item())
            #expect(delete(half.query(["u_Tomb": true])) == errSecSuccess)
            try #expect(count(of: half.query(tombstones)) == 1)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `a synchronizable item whose primary key changes leaves a tombstone under the old one`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        let name: CFString = half == .certificate ? kSecAttrSerialNumber : kSecAttrApplicationLabel
        try withKeychain(transport) {
            add(half.item(shared.merging([name: Data([1]), kSecAttrAccessible: "ck"]) { $1 }))
            #expect(update(half.query(shared), [name: Data([2])]) == errSecSuccess)
            try #expect(attributes(of: half.query(tombstones))[name as String] as? Data == Data([1]))
            try #expect(attributes(of: half.query(shared))[name as String] as? Data == Data([2]))
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an item changed to one that exists is a duplicate, and nothing changes`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        let name: CFString = half == .certificate ? kSecAttrSerialNumber : kSecAttrApplicationLabel
        try withKeychain(transport) {
            add(half.item([name: Data([1])]))
            add(half.item([name: Data([2])]))
            #expect(
                update(half.query([name: Data([1])]), [name: Data([2]), kSecAttrLabel: "new"]) == errSecDuplicateItem
            )
            #expect(update(half.query(), [name: Data([3])]) == errSecDuplicateItem)
            #expect(find(half.query([kSecAttrLabel: "new"])).status == errSecItemNotFound)
            #expect(find(half.query([name: Data([3])])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `constants that are attributes of no class are no such attribute`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport) {
            for name in ["volm", "addr", "afps", "crlt", "crle"] as [CFString] {
                for value in [1, Data([1]), "x"] as [Any] {
                    for call in Call.allCases {
                        #expect(call(half.item([name: value])) == errSecNoSuchAttr, "\(name) in \(call)")
                    }
                    #expect(update(half.query(), [name: value]) == errSecNoSuchAttr, "\(name)")
                    #expect(find(identities([name: value])).status == errSecNoSuchAttr, "\(name)")
                }
            }
        }
    }
}
