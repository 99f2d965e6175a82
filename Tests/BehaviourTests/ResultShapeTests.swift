import Foundation
import Security
import Testing

@Suite("The shape of a search's result")
struct ResultShapeTests {
    /// Adds an item, and looks at what a search leaves in a result that already holds an object.
    private func search(
        _ transport: Transport,
        _ more: [CFString: Any],
        in item: [CFString: Any] = password(),
        _ check: ((status: OSStatus, isUntouched: Bool, result: CFTypeRef?)) throws -> Void
    ) throws {
        try withKeychain(transport) {
            add(item)
            try check(resultAfter { SecItemCopyMatching(query(more) as CFDictionary, $0) })
        }
    }

    // MARK: - One item

    @Test(arguments: Transport.allCases)
    func `a search that asks for nothing succeeds and leaves the result untouched`(transport: Transport) throws {
        try search(transport, [:]) { outcome in
            #expect(outcome.status == errSecSuccess)
            #expect(outcome.isUntouched)
        }
    }

    @Test(arguments: Transport.allCases)
    func `return keys that are false ask for nothing`(transport: Transport) throws {
        try search(transport, [kSecReturnData: false, kSecReturnAttributes: kCFBooleanFalse!]) { outcome in
            #expect(outcome.status == errSecSuccess)
            #expect(outcome.isUntouched)
        }
    }

    @Test(arguments: Transport.allCases)
    func `data alone is bare data`(transport: Transport) throws {
        try search(transport, [kSecReturnData: true]) { outcome in
            #expect(outcome.status == errSecSuccess)
            #expect(outcome.result as? Data == secret)
            #expect(CFGetTypeID(outcome.result) == CFDataGetTypeID())
        }
    }

    @Test(arguments: Transport.allCases)
    func `a return key that is false leaves the other one's result bare`(transport: Transport) throws {
        try search(transport, [kSecReturnData: true, kSecReturnAttributes: false]) { outcome in
            #expect(outcome.result as? Data == secret)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the value of an item that has none is a success with nothing, and no former result stays`(
        transport: Transport
    ) throws {
        try search(transport, [kSecReturnData: true], in: query()) { outcome in
            #expect(outcome.status == errSecSuccess)
            #expect(outcome.result == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a password asked for as an object is a success with nothing`(transport: Transport) throws {
        try search(transport, [kSecReturnRef: true]) { outcome in
            #expect(outcome.status == errSecSuccess)
            #expect(outcome.result == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `attributes alone are a dictionary without value, class, digest and references`(transport: Transport) throws {
        try search(transport, [kSecReturnAttributes: true]) { outcome in
            #expect(CFGetTypeID(outcome.result) == CFDictionaryGetTypeID())
            let item = try #require(outcome.result as? [String: Any])
            for key in ["v_Data", "class", "sha1", "v_Ref", "v_PersistentRef", "UUID", "persistref", "rowid", "data"] {
                #expect(item[key] == nil, "\(key)")
            }
            #expect(item["acct"] as? String == "alice")
            #expect(item["svce"] as? String == "mail")
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference alone is bare data of twenty bytes that begin with the class`(
        transport: Transport
    ) throws {
        try search(transport, [kSecReturnPersistentRef: true]) { outcome in
            let bytes = try #require(outcome.result as? Data)
            #expect(bytes.count == 20)
            #expect(bytes.prefix(4) == Data("genp".utf8))
        }
    }

    @Test(arguments: Transport.allCases)
    func `data and attributes together are one dictionary with the digest`(transport: Transport) throws {
        try search(transport, [kSecReturnData: true, kSecReturnAttributes: true]) { outcome in
            let item = try #require(outcome.result as? [String: Any])
            #expect(item["v_Data"] as? Data == secret)
            #expect(item["acct"] as? String == "alice")
            #expect((item["sha1"] as? Data)?.count == 20)
            #expect(item["class"] == nil)
            #expect(item["v_PersistentRef"] == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `data and attributes of an item without a value have no value in the dictionary`(transport: Transport) throws {
        try search(transport, [kSecReturnData: true, kSecReturnAttributes: true], in: query()) { outcome in
            let item = try #require(outcome.result as? [String: Any])
            #expect(item["acct"] as? String == "alice")
            #expect(item.keys.contains("v_Data") == false)
        }
    }

    @Test(arguments: Transport.allCases)
    func `data and a persistent reference are a dictionary of these two`(transport: Transport) throws {
        try search(transport, [kSecReturnData: true, kSecReturnPersistentRef: true]) { outcome in
            let item = try #require(outcome.result as? [String: Any])
            #expect(item["v_Data"] as? Data == secret)
            #expect((item["v_PersistentRef"] as? Data)?.count == 20)
            #expect(item.count == 2)
        }
    }

    @Test(arguments: Transport.allCases)
    func `attributes and a persistent reference are one dictionary without the value`(transport: Transport) throws {
        try search(transport, [kSecReturnAttributes: true, kSecReturnPersistentRef: true]) { outcome in
            let item = try #require(outcome.result as? [String: Any])
            #expect((item["v_PersistentRef"] as? Data)?.count == 20)
            #expect(item["acct"] as? String == "alice")
            #expect(item["v_Data"] == nil)
            #expect(item["sha1"] == nil)
            #expect(item["class"] == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an object and anything else is a dictionary of all attributes and the class`(transport: Transport) throws {
        try search(transport, [kSecReturnRef: true, kSecReturnData: true]) { outcome in
            let item = try #require(outcome.result as? [String: Any])
            #expect(item["class"] as? String == "genp")
            #expect(item["acct"] as? String == "alice")
            #expect(item["v_Data"] as? Data == secret)
            #expect(item["v_PersistentRef"] == nil)
        }
        try search(transport, [kSecReturnRef: true, kSecReturnPersistentRef: true]) { outcome in
            let item = try #require(outcome.result as? [String: Any])
            #expect(item["class"] as? String == "genp")
            #expect(item["v_Data"] == nil)
            #expect((item["v_PersistentRef"] as? Data)?.count == 20)
        }
    }

    @Test(arguments: Transport.allCases)
    func `everything together is one dictionary with everything`(transport: Transport) throws {
        let everything: [CFString: Any] = [
            kSecReturnData: true, kSecReturnAttributes: true, kSecReturnRef: true, kSecReturnPersistentRef: true,
        ]
        try search(transport, everything) { outcome in
            let item = try #require(outcome.result as? [String: Any])
            for key in ["v_Data", "class", "sha1", "v_PersistentRef", "acct", "accc", "cdat", "mdat", "pdmn", "agrp"] {
                #expect(item[key] != nil, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a search with nowhere to put its result succeeds`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            #expect(SecItemCopyMatching(query([kSecReturnData: true]) as CFDictionary, nil) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a search that finds nothing leaves the result untouched`(transport: Transport) throws {
        try search(transport, [kSecAttrAccount: "nobody", kSecReturnData: true]) { outcome in
            #expect(outcome.status == errSecItemNotFound)
            #expect(outcome.isUntouched)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a search that is refused leaves the result untouched`(transport: Transport) throws {
        try search(transport, [kSecReturnData: true, "nope": 1]) { outcome in
            #expect(outcome.status == errSecNoSuchAttr)
            #expect(outcome.isUntouched)
        }
    }

    // MARK: - Many items

    @Test(arguments: Transport.allCases)
    func `all items and nothing asked for is an empty array`(transport: Transport) throws {
        try search(transport, [kSecMatchLimit: kSecMatchLimitAll]) { outcome in
            #expect(outcome.status == errSecSuccess)
            #expect(CFGetTypeID(outcome.result) == CFArrayGetTypeID())
            #expect((outcome.result as? [Any])?.count == 0)
        }
    }

    @Test(arguments: Transport.allCases)
    func `all items asked for as objects is an empty array for passwords`(transport: Transport) throws {
        try search(transport, [kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true]) { outcome in
            #expect(outcome.status == errSecSuccess)
            #expect((outcome.result as? [Any])?.count == 0)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the data of all items is an array of data without the items that have none`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "alice"))
            add(query(account: "bob"))
            add(password(account: "carol", [kSecValueData: Data()]))
            let found = find(genericPasswords([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]))
            #expect(found.status == errSecSuccess)
            let values = try #require(found.result as? [Data])
            #expect(values.sorted { $0.count < $1.count } == [Data(), secret])
        }
    }

    @Test(arguments: Transport.allCases)
    func `the attributes of all items are an array of dictionaries, also for one item`(transport: Transport) throws {
        try search(transport, [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]) { outcome in
            let items = try #require(outcome.result as? [[String: Any]])
            #expect(items.count == 1)
            #expect(items[0]["acct"] as? String == "alice")
        }
    }

    @Test(arguments: Transport.allCases)
    func `the persistent references of all items are an array of data`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password(account: "alice"))
            add(password(account: "bob"))
            let found = find(genericPasswords([kSecReturnPersistentRef: true, kSecMatchLimit: kSecMatchLimitAll]))
            let references = try #require(found.result as? [Data])
            #expect(Set(references).count == 2)
        }
    }

    @Test(arguments: Transport.allCases)
    func `data and attributes of all items are dictionaries of which those without a value lack it`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(password(account: "alice"))
            add(query(account: "bob"))
            let found = find(
                genericPasswords([
                    kSecReturnData: true, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll,
                ])
            )
            let items = try #require(found.result as? [[String: Any]])
            let values = Dictionary(
                uniqueKeysWithValues: items.map { ($0["acct"] as? String ?? "", $0["v_Data"] as? Data) }
            )
            #expect(values == ["alice": secret, "bob": nil])
        }
    }

    @Test(arguments: Transport.allCases)
    func `all items of none is not found`(transport: Transport) throws {
        try withKeychain(transport) {
            let outcome = resultAfter {
                SecItemCopyMatching(genericPasswords([kSecMatchLimit: kSecMatchLimitAll]) as CFDictionary, $0)
            }
            #expect(outcome.status == errSecItemNotFound)
            #expect(outcome.isUntouched)
        }
    }

    // MARK: - Types

    @Test(arguments: Transport.allCases)
    func `truth values come back as integer numbers`(transport: Transport) throws {
        try withKeychain(transport) {
            add(
                password([
                    kSecAttrIsInvisible: true, kSecAttrIsNegative: false, "cusi": true, kSecAttrSynchronizable: true,
                ])
            )
            let item = try attributes(of: query([kSecAttrSynchronizable: true]))
            for (key, number) in ["invi": 1, "nega": 0, "cusi": 1, "sync": 1, "tomb": 0] {
                #expect(isNumber(item[key]), "\(key)")
                #expect(item[key] as? Int == number, "\(key)")
                #expect(item[key] as? Bool == (number == 1), "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a result is a dictionary of Foundation objects that every spelling reads`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password([kSecAttrCreator: 7, kSecAttrGeneric: Data([1])]))
            let result = try #require(find(query([kSecReturnAttributes: true])).result)
            let dictionary = try #require(result as? NSDictionary)
            #expect(dictionary[kSecAttrAccount] as? String == "alice")
            #expect((result as? [String: Any])?[kSecAttrAccount as String] as? String == "alice")
            #expect((result as? [CFString: Any])?[kSecAttrAccount] as? String == "alice")
            #expect((result as? [AnyHashable: Any])?[kSecAttrAccount] as? String == "alice")
            #expect((result as? [String: AnyObject])?["acct"] is NSString)
            #expect((result as? [String: AnyObject])?["crtr"] is NSNumber)
            #expect((result as? [String: AnyObject])?["gena"] is NSData)
            #expect((result as? [String: AnyObject])?["cdat"] is NSDate)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item is the same by its primary key and by its persistent reference`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password([kSecAttrLabel: "label"]))
            let returns: [CFString: Any] = [kSecReturnAttributes: true, kSecReturnData: true]
            let byKey = find(query(returns)).result
            let byReference = find(
                returns.merging([kSecValuePersistentRef: try reference(of: query())]) { old, _ in old }
            ).result
            #expect(byKey != nil)
            #expect(CFEqual(byKey, byReference))
        }
    }

    @Test(arguments: Transport.allCases)
    func `each result is an object of its own`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let first = find(query([kSecReturnAttributes: true])).result
            let second = find(query([kSecReturnAttributes: true])).result
            #expect(first !== second)
            #expect(CFEqual(first, second))
        }
    }

    // MARK: - In every class

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `every combination of return keys has its shape in every class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let keys = [kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef]
        try withKeychain(transport) {
            itemClass.addItem()
            for combination in 0..<16 {
                let wanted = keys.indices.map { combination & 1 << $0 != 0 }
                var query = itemClass.query()
                for (key, isWanted) in zip(keys, wanted) { query[key] = isWanted }
                let one = resultAfter { SecItemCopyMatching(query as CFDictionary, $0) }
                #expect(one.status == errSecSuccess)
                query[kSecMatchLimit] = kSecMatchLimitAll
                let all = try #require(find(query).result as? [Any], "\(wanted)")
                if !wanted.contains(true) {
                    #expect(one.isUntouched && all.isEmpty)
                    continue
                }
                // The data of these items is no certificate's, so that no object is made of it.
                if wanted == [false, false, true, false] {
                    #expect(one.result == nil && all.isEmpty)
                    continue
                }
                try #require(all.count == 1, "\(wanted)")
                #expect(CFEqual(one.result, all[0] as CFTypeRef), "\(wanted)")
                if wanted.count(where: { $0 }) == 1, !wanted[1] {
                    #expect((one.result as? Data)?.count == (wanted[0] ? itemClass.data.count : 20), "\(wanted)")
                    continue
                }
                let item = try #require(one.result as? [String: Any], "\(wanted)")
                #expect(item["v_Data"] as? Data == (wanted[0] ? itemClass.data : nil), "\(wanted)")
                #expect((item["agrp"] != nil) == (wanted[1] || wanted[2]), "\(wanted)")
                #expect((item["accc"] is SecAccessControl) == (wanted[1] || wanted[2]), "\(wanted)")
                #expect((item["sha1"] != nil) == (wanted[0] && (wanted[1] || wanted[2])), "\(wanted)")
                #expect(item["class"] as? String == (wanted[2] ? itemClass.name : nil), "\(wanted)")
                #expect(item["v_Ref"] == nil)
                #expect((item["v_PersistentRef"] != nil) == wanted[3], "\(wanted)")
                for hidden in ["UUID", "persistref", "rowid", "data"] { #expect(item[hidden] == nil, "\(hidden)") }
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an identity whose parts are none has no object, whatever the limit`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(find(identities([kSecReturnRef: true])).status == errSecItemNotFound)
            for number in 1...3 as ClosedRange<UInt8> { EveryClass.identity.addItem(number) }
            for limit in [kSecMatchLimitOne, 1] as [Any] {
                let query = identities([kSecReturnRef: true, kSecMatchLimit: limit])
                let outcome = resultAfter { SecItemCopyMatching(query as CFDictionary, $0) }
                #expect(outcome.status == errSecSuccess && outcome.result == nil && !outcome.isUntouched)
            }
            for limit in [2, -1, kSecMatchLimitAll] as [Any] {
                let bare = find(identities([kSecReturnRef: true, kSecMatchLimit: limit]))
                #expect((bare.result as? [Any])?.count == 0)
                let query = identities([kSecReturnRef: true, kSecReturnData: true, kSecMatchLimit: limit])
                let items = try #require(find(query).result as? [[String: Any]])
                #expect(items.count == (limit as? Int == 2 ? 2 : 3))
                #expect(items.allSatisfy { $0["v_Ref"] == nil && $0["v_Data"] as? Data == keyData })
            }
            #expect(find(identities([kSecReturnRef: true, kSecMatchLimit: 0])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `a failed call leaves the result untouched, whatever fails and in whatever class`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        let returns: [CFString: Any] = [
            kSecReturnData: true, kSecReturnAttributes: true, kSecReturnRef: true, kSecReturnPersistentRef: true,
        ]
        let faults: [(CFString, Any, OSStatus)] = [
            (kSecClass, "apls", errSecNoSuchClass), (kSecClass, 1, errSecParam), ("nope", 1, errSecNoSuchAttr),
            ("u_Unknown", 1, errSecParam), (kSecAttrAccessGroup, "foreign", errSecMissingEntitlement),
            (kSecAttrCreationDate, 1, errSecParam), (kSecReturnData, 1, errSecParam),
            (kSecValueData, "text", errSecParam), (kSecValuePersistentRef, Data(), errSecParam),
        ]
        try withKeychain(transport) {
            itemClass.addItem()
            for (key, value, status) in faults {
                let dictionary = itemClass.item(returns.merging([key: value]) { $1 }).merging([key: value]) { $1 }
                for limit in [kSecMatchLimitOne, kSecMatchLimitAll] {
                    let query = dictionary.merging([kSecMatchLimit: limit]) { $1 }
                    let found = resultAfter { SecItemCopyMatching(query as CFDictionary, $0) }
                    #expect(found.status == status, "\(key)")
                    #expect(found.isUntouched, "\(key)")
                }
                // An identity is refused before its group is looked at.
                let added = resultAfter { SecItemAdd(dictionary as CFDictionary, $0) }
                #expect(added.status == (itemClass == .identity && key == kSecAttrAccessGroup ? errSecParam : status))
                #expect(added.isUntouched, "\(key)")
            }
            let other: [CFString: Any] = [kSecAttrLabel: "nobody's", kSecMatchLimit: kSecMatchLimitAll]
            let none = itemClass.query(returns.merging(other) { $1 })
            let found = resultAfter { SecItemCopyMatching(none as CFDictionary, $0) }
            #expect(found.status == errSecItemNotFound)
            #expect(found.isUntouched)
            let again = resultAfter { SecItemAdd(itemClass.item(returns) as CFDictionary, $0) }
            #expect(again.status == (itemClass == .identity ? errSecParam : errSecDuplicateItem))
            #expect(again.isUntouched)
        }
    }

    @Test(arguments: Transport.allCases, EveryClass.allCases)
    func `an item of any class is the same by its attributes and by its persistent reference`(
        transport: Transport,
        itemClass: EveryClass
    ) throws {
        try withKeychain(transport) {
            itemClass.addItem()
            let returns: [CFString: Any] = [kSecReturnAttributes: true, kSecReturnData: true]
            let byAttributes = find(itemClass.query(returns)).result
            let bytes = try reference(of: itemClass.query())
            let byReference = find(returns.merging([kSecValuePersistentRef: bytes]) { $1 }).result
            #expect(byAttributes != nil)
            #expect(CFEqual(byAttributes, byReference))
        }
    }
}
