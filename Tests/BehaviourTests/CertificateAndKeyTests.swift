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

    // MARK: - Adding

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an add without data that asks for it returns empty data, and one that asks for nothing no result`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport) {
            #expect(addReturning(half.query([kSecReturnData: true])).result as? Data == Data())
            delete(half.query())
            let outcome = resultAfter { SecItemAdd(half.item() as CFDictionary, $0) }
            #expect(outcome.status == errSecSuccess)
            #expect(outcome.isUntouched)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an add returns a dictionary of all that it is asked for`(transport: Transport, half: IdentityHalf) throws {
        try withKeychain(transport) {
            let returns: [CFString: Any] = [
                kSecReturnAttributes: true, kSecReturnData: true, kSecReturnPersistentRef: true,
            ]
            let item = try #require(addReturning(half.item(returns)).result as? [String: Any])
            #expect(item["v_Data"] as? Data == half.data)
            try #expect(item["v_PersistentRef"] as? Data == reference(of: half.query()))
            #expect(item["class"] == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item whose data is no key has no object`(transport: Transport) throws {
        try withKeychain(transport) {
            let outcome = resultAfter { SecItemAdd(key([kSecReturnRef: true]) as CFDictionary, $0) }
            #expect(outcome.status == errSecSuccess && outcome.result == nil)
            #expect(find(keys([kSecReturnRef: true])).result == nil)
            // Of a symmetric key nobody makes one.
            let symmetric = keys([kSecAttrKeyClass: kSecAttrKeyClassSymmetric, kSecReturnRef: true])
            #expect(addReturning(symmetric).status == errSecUnimplemented)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an item in the group of push notifications is always accessible on this device alone`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport, groups: ["test.default", "com.apple.apsd"]) {
            add(half.item([kSecAttrAccessGroup: "com.apple.apsd"]))
            try #expect(attributes(of: half.query())["pdmn"] as? String == "dku")
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an item comes with an access control of its accessibility, which goes back in beside it`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport) {
            add(half.item())
            let item = try attributes(of: half.query())
            let control = try #require(item["accc"] as? SecAccessControl)
            let accessible = try #require(item["pdmn"] as? String)
            #expect(control.description == "<SecAccessControlRef: \(accessible)>")
            let both: [CFString: Any] = [kSecAttrAccessControl: control, kSecAttrAccessible: accessible]
            #expect(find(half.query(both)).status == errSecSuccess)
            #expect(update(half.query(), both) == errSecSuccess)
            delete(half.query())
            #expect(add(half.item(both)) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an item with an access control cannot be synchronizable, and one of this device alone may be`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        let control = try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, [], nil))
        try withKeychain(transport) {
            let guarded: [CFString: Any] = [kSecAttrAccessControl: control]
            #expect(add(half.item(shared.merging(guarded) { $1 })) == errSecParam)
            #expect(add(half.item(guarded)) == errSecSuccess)
            #expect(update(half.query(), shared) == errSecParam)
            #expect(delete(half.query()) == errSecSuccess)
            for accessible in ["aku", "cku", "dku"] {
                let ofDevice: [CFString: Any] = [kSecAttrAccessible: accessible]
                #expect(add(half.item(shared.merging(ofDevice) { $1 })) == errSecSuccess, "\(accessible)")
                #expect(delete(half.query(shared)) == errSecSuccess)
                #expect(add(half.item(ofDevice)) == errSecSuccess, "\(accessible)")
                #expect(update(half.query(), shared) == errSecSuccess, "\(accessible)")
                #expect(delete(half.query(shared)) == errSecSuccess)
            }
        }
    }

    // MARK: - Filters

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `every call leaves synchronizable items alone unless asked for them`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport) {
            add(half.item(shared))
            for query in [half.query(), half.query([kSecAttrSynchronizable: false])] {
                #expect(find(query).status == errSecItemNotFound)
                #expect(update(query, [:]) == errSecItemNotFound)
                #expect(delete(query) == errSecItemNotFound)
            }
            for flag in [true, 1, "1", kSecAttrSynchronizableAny] as [Any] {
                #expect(find(half.query([kSecAttrSynchronizable: flag])).status == errSecSuccess, "\(flag)")
                #expect(update(half.query([kSecAttrSynchronizable: flag]), [:]) == errSecSuccess, "\(flag)")
            }
            add(half.item([kSecAttrLabel: "local"]))
            try #expect(attributes(of: half.query())["labl"] as? String == "local")
            try #expect(count(of: half.query(shared)) == 1)
            #expect(delete(half.query(shared)) == errSecSuccess)
            #expect(find(half.query()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an accessibility is a filter, and an access control is none`(transport: Transport, half: IdentityHalf) throws
    {
        let control = try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, .userPresence, nil))
        try withKeychain(transport) {
            add(half.item([kSecAttrAccessible: "ck"]))
            #expect(find(half.query([kSecAttrAccessible: "ck"])).status == errSecSuccess)
            for other in ["ak", "dk", "aku", "cku", "dku", "akpu"] {
                #expect(find(half.query([kSecAttrAccessible: other])).status == errSecItemNotFound, "\(other)")
            }
            #expect(find(half.query([kSecAttrAccessible: "f"])).status == errSecParam)
            #expect(find(half.query([kSecAttrAccessControl: control])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `attributes take the types of their kind alone`(transport: Transport) throws {
        let wrong: [([String], [Any])] = [
            (["issr", "slnr", "subj", "skid", "pkhh"], [true, Date(), NSNull(), [1], UUID()]),
            (["ctyp", "cenc"], [Data([1]), Date(), NSNull(), [1], UUID()]),
        ]
        let wrongForKeys: [([String], [Any])] = [
            (["klbl"], [true, Date(), NSNull(), [1], UUID()]), (["atag"], [true, Date(), NSNull(), [1], UUID()]),
            (["kcls", "crtr", "type", "bsiz", "esiz", "perm", "priv", "sign"], [Data([1]), Date(), NSNull(), UUID()]),
        ]
        try withKeychain(transport) {
            for (half, cases) in [(IdentityHalf.certificate, wrong), (.key, wrongForKeys)] {
                for (keys, values) in cases {
                    for key in keys {
                        for value in values {
                            let attribute: [CFString: Any] = [key as CFString: value]
                            for call in Call.allCases {
                                #expect(call(half.query(attribute)) == errSecParam, "\(key): \(value)")
                            }
                            #expect(update(half.query(), attribute) == errSecParam, "\(key): \(value)")
                        }
                    }
                }
            }
        }
    }

    // MARK: - Updating and deleting

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an update sets attributes and the data alone`(transport: Transport, half: IdentityHalf) throws {
        let changes: [(CFString, Any, OSStatus)] = [
            (kSecClass, half.className, errSecNoSuchAttr), (kSecReturnData, false, errSecNoSuchAttr),
            (kSecMatchLimit, kSecMatchLimitAll, errSecNoSuchAttr), (kSecUseOperationPrompt, "x", errSecNoSuchAttr),
            ("u_CredRef", Data(), errSecNoSuchAttr), (kSecAttrAccount, "x", errSecNoSuchAttr),
            (kSecValuePersistentRef, Data(), errSecParam), (kSecValueRef, NSObject(), errSecParam),
            (kSecAttrLabel, NSNull(), errSecParam), ("ggrp", "x", errSecParam), ("tomb", true, errSecParam),
            (kSecAttrSynchronizable, kSecAttrSynchronizableAny, errSecParam), (kSecAttrAccessible, "x", errSecParam),
        ]
        try withKeychain(transport) {
            add(half.item())
            for (key, value, status) in changes {
                #expect(update(half.query(), [key: value, "alis": "x"]) == status, "\(key)")
            }
            try #expect(attributes(of: half.query())["alis"] == nil)
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an update ignores a modification date, a user and the data protection key, and takes a creation date`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport) {
            add(half.item())
            let before = try #require(attributes(of: half.query())["mdat"] as? Date)
            let changes: [CFString: Any] = [
                "mdat": Date.distantFuture, "musr": Data(count: 16), "nleg": true, "cdat": Date.distantPast,
            ]
            #expect(update(half.query(), changes) == errSecSuccess)
            let item = try attributes(of: half.query())
            let after = try #require(item["mdat"] as? Date)
            #expect(after > before && after < Date(timeIntervalSinceNow: 3600))
            #expect(item["cdat"] as? Date == .distantPast)
            #expect(item["musr"] as? Data == Data())
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an update without changes moves the modification date every time`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        try withKeychain(transport) {
            add(half.item())
            var last = try #require(attributes(of: half.query())["mdat"] as? Date)
            for _ in 0..<5 {
                #expect(update(half.query(), [:]) == errSecSuccess)
                let next = try #require(attributes(of: half.query())["mdat"] as? Date)
                #expect(next > last)
                last = next
            }
        }
    }

    @Test(arguments: Transport.allCases, IdentityHalf.allCases)
    func `an item changed to the primary key of a tombstone takes its place`(
        transport: Transport,
        half: IdentityHalf
    ) throws {
        let name: CFString = half == .certificate ? kSecAttrSerialNumber : kSecAttrApplicationLabel
        try withKeychain(transport) {
            add(half.item([name: Data([2])]))
            delete(half.query(["u_Tomb": true]))
            add(half.item([name: Data([1])]))
            #expect(update(half.query(), [name: Data([2])]) == errSecSuccess)
            try #expect(count(of: half.query([name: Data([2])])) == 1)
            #expect(find(half.query(tombstones)).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `return keys are errors in an update where they are true, and mean nothing in a deletion`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withKeychain(transport) {
            for key in [kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef] {
                for flag in [true, false] {
                    itemClass.addItem()
                    #expect(update(itemClass.query([key: flag]), [:]) == (flag ? errSecParam : errSecSuccess), "\(key)")
                    #expect(delete(itemClass.query([key: 1])) == errSecParam, "\(key)")
                    #expect(delete(itemClass.query([key: flag])) == errSecSuccess, "\(key)")
                    #expect(find(itemClass.query()).status == errSecItemNotFound)
                }
            }
        }
    }
}
