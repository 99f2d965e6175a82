import Foundation
import Security
import Testing

@Suite("Finding identities")
struct IdentityTests {
    /// A certificate and its key.
    private func withIdentity(
        _ transport: Transport,
        groups: [String] = ["test.default"],
        _ body: () throws -> Void
    ) throws {
        try withKeychain(transport, groups: groups) {
            add(certificate())
            add(key())
            try body()
        }
    }

    // MARK: - What makes an identity

    @Test(arguments: Transport.allCases, [true, false])
    func `a certificate and the key whose label is its public key's hash are an identity, in whatever order they came`(
        transport: Transport,
        certificateFirst: Bool
    ) throws {
        try withKeychain(transport) {
            add(certificateFirst ? certificate() : key())
            #expect(find(identities()).status == errSecItemNotFound)
            add(certificateFirst ? key() : certificate())
            #expect(find(identities()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key of another hash, or one that is not private, makes no identity`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificate())
            for change in [
                [kSecAttrApplicationLabel: otherHash], ["priv": false], ["priv": 2],
            ] as [[CFString: Any]] {
                add(key(change))
                #expect(find(identities()).status == errSecItemNotFound, "\(change)")
                #expect(find(identities([kSecAttrKeyType: "42"])).status == errSecItemNotFound, "\(change)")
                delete(keys())
            }
            var silent = key()
            silent["priv"] = nil
            add(silent)
            #expect(find(identities()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a public key that is marked as private makes an identity`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificate())
            add(key([kSecAttrKeyClass: kSecAttrKeyClassPublic]))
            #expect(find(identities()).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `of a pair of which both are marked as private, the private key comes first`(transport: Transport) throws {
        try withKeychain(transport) {
            // Several, since the database may have any two keys in either order.
            for number in 1...10 as ClosedRange<UInt8> {
                let hash = Data(repeating: number, count: 20)
                let serial: [CFString: Any] = [kSecAttrSerialNumber: Data([number])]
                add(certificate([kSecAttrPublicKeyHash: hash].merging(serial) { $1 }))
                let ofPair: [CFString: Any] = [kSecAttrApplicationLabel: hash]
                add(key([kSecAttrKeyClass: kSecAttrKeyClassPublic, kSecValueData: Data()].merging(ofPair) { $1 }))
                add(key(ofPair))
                try #expect(value(of: identities(serial)) == keyData)
                try #expect(allAttributes(of: identities(serial)).map { $0["kcls"] as? Int } == [1, 0])
                try #expect(allAttributes(of: identities(ofPair)).map { $0["kcls"] as? Int } == [1, 0])
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a certificate without a hash and a key without a label are no identity`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificate([kSecAttrPublicKeyHash: Data()]))
            add(certificates([kSecAttrSerialNumber: Data([2]), kSecValueData: certificateData]))
            add(key([kSecAttrApplicationLabel: Data()]))
            #expect(find(identities()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `every certificate of a key is an identity, and every key of a certificate`(transport: Transport) throws {
        try withKeychain(transport) {
            for number in 1...3 as ClosedRange<UInt8> {
                add(certificate([kSecAttrSerialNumber: Data([number]), kSecAttrLabel: "certificate \(number)"]))
            }
            for tag in ["one", "two"] { add(key([kSecAttrApplicationTag: tag])) }
            add(certificate([kSecAttrSerialNumber: Data([9]), kSecAttrPublicKeyHash: otherHash]))
            let found = try allAttributes(of: identities())
            let expected = (1...3).flatMap { number in ["one", "two"].map { "certificate \(number) \($0)" } }
            #expect(found.map { "\($0["labl"] as? String ?? "") \($0["atag"] as? String ?? "")" } == expected)
        }
    }

    @Test(arguments: Transport.allCases)
    func `certificate and key may be in different groups, as long as both are the program's`(
        transport: Transport
    ) throws {
        let fixture = try KeychainFixture(transport)
        try fixture.asProgram(groups: ["certificates", "keys"]) {
            add(certificate([kSecAttrAccessGroup: "certificates"]))
            add(key([kSecAttrAccessGroup: "keys"]))
            #expect(find(identities()).status == errSecSuccess)
            try #expect(value(of: identities([kSecAttrKeyType: "42"])) == keyData)
            // The group, too, is the key's.
            #expect(find(identities([kSecAttrAccessGroup: "keys"])).status == errSecSuccess)
            #expect(find(identities([kSecAttrAccessGroup: "certificates"])).status == errSecItemNotFound)
            #expect(find(identities([kSecAttrAccessGroup: "foreign"])).status == errSecMissingEntitlement)
        }
        for groups in [["certificates"], ["keys"], ["keys", "other"]] {
            fixture.asProgram(groups: groups) {
                #expect(find(identities()).status == errSecItemNotFound)
                #expect(find(identities([kSecAttrKeyType: "42"])).status == errSecItemNotFound)
            }
        }
        fixture.asProgram(groups: ["*"]) {
            #expect(find(identities()).status == errSecSuccess)
            #expect(find(identities([kSecAttrKeyType: "42"])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `whether an identity is synchronizable is its key's to say`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificate())
            add(key([kSecAttrSynchronizable: true]))
            #expect(find(identities()).status == errSecItemNotFound)
            #expect(find(identities([kSecAttrSynchronizable: true])).status == errSecSuccess)
            #expect(find(identities([kSecAttrSynchronizable: kSecAttrSynchronizableAny])).status == errSecSuccess)
        }
        try withKeychain(transport) {
            add(certificate([kSecAttrSynchronizable: true]))
            add(key())
            #expect(find(identities()).status == errSecSuccess)
            #expect(find(identities([kSecAttrSynchronizable: true])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `tombstones of certificates and keys make no identity`(transport: Transport) throws {
        try withIdentity(transport) {
            delete(certificates(["u_Tomb": true]))
            #expect(find(identities()).status == errSecItemNotFound)
            delete(keys(["u_Tomb": true]))
            #expect(find(identities(["tomb": true])).status == errSecItemNotFound)
            #expect(find(identities()).status == errSecItemNotFound)
        }
    }

    // MARK: - Attributes as filters

    @Test(arguments: Transport.allCases)
    func `label, issuer, serial number, subject key and token are the certificate's, all else is the key's`(
        transport: Transport
    ) throws {
        let ofCertificate: [(CFString, Any, Any)] = [
            ("labl", "one", "two"), ("issr", Data([1]), Data([2])), ("slnr", Data([1]), Data([2])),
            ("skid", Data([1]), Data([2])), ("tkid", "one", "two"),
        ]
        let ofKey: [(CFString, Any, Any)] = [
            ("kcls", 1, 2), ("klbl", keyHash, otherHash), ("atag", "one", "two"), ("crtr", 1, 2), ("type", "42", "73"),
            ("bsiz", 2048, 4096), ("esiz", 2048, 4096), ("sdat", Date(timeIntervalSinceReferenceDate: 1), Date()),
            ("edat", Date(timeIntervalSinceReferenceDate: 1), Date()), ("perm", true, false), ("sign", 1, 0),
            ("decr", 1, 0), ("alis", "one", "two"), ("pdmn", "ck", "dk"), ("vwht", "one", "two"), ("sysb", 1, 2),
        ]
        try withKeychain(transport) {
            for (name, value, other) in ofCertificate {
                add(certificate([name: value]))
                add(key(["tkid", "labl"].contains(name as String) ? [name: other] : [:]))
                #expect(find(identities([name: value])).status == errSecSuccess, "\(name)")
                #expect(find(identities([name: other])).status == errSecItemNotFound, "\(name)")
                delete(certificates())
                delete(keys())
            }
            for (name, value, other) in ofKey {
                add(certificate(["alis", "pdmn", "vwht", "sysb"].contains(name as String) ? [name: other] : [:]))
                add(key([name: value]))
                #expect(find(identities([name: value])).status == errSecSuccess, "\(name)")
                #expect(find(identities([name: other])).status == errSecItemNotFound, "\(name)")
                // A filter on each half at once.
                #expect(find(identities([name: value, "slnr": Data([1])])).status == errSecSuccess, "\(name)")
                #expect(find(identities([name: value, "slnr": Data([2])])).status == errSecItemNotFound, "\(name)")
                delete(certificates())
                delete(keys())
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `the dates of an identity are its key's`(transport: Transport) throws {
        try withIdentity(transport) {
            let ofKey = try attributes(of: keys())
            let ofCertificate = try attributes(of: certificates())
            for name in ["cdat", "mdat"] {
                let date = try #require(ofKey[name])
                #expect(find(identities([name as CFString: date])).status == errSecSuccess)
                let other = try #require(ofCertificate[name])
                #expect(find(identities([name as CFString: other])).status == errSecItemNotFound)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `the label of an identity is its certificate's, also after either half got another`(
        transport: Transport
    ) throws {
        try withIdentity(transport) {
            #expect(find(identities([kSecAttrLabel: "certificate"])).status == errSecSuccess)
            #expect(find(identities([kSecAttrLabel: "key"])).status == errSecItemNotFound)
            update(keys(), [kSecAttrLabel: "new"])
            #expect(find(identities([kSecAttrLabel: "certificate"])).status == errSecSuccess)
            #expect(find(identities([kSecAttrLabel: "new"])).status == errSecItemNotFound)
            update(certificates(), [kSecAttrLabel: "new"])
            #expect(find(identities([kSecAttrLabel: "certificate"])).status == errSecItemNotFound)
            #expect(find(identities([kSecAttrLabel: "new"])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `no identity is found by what a certificate alone has beside these`(transport: Transport) throws {
        try withIdentity(transport) {
            let names: [(CFString, Any)] = [("pkhh", keyHash), ("subj", Data()), ("ctyp", 0), ("cenc", 3)]
            for (name, value) in names {
                #expect(find(identities([name: value])).status == errSecNotAvailable, "\(name)")
            }
        }
    }

    @Test(arguments: Transport.allCases, Call.allCases)
    func `an attribute that neither half has is no such attribute`(transport: Transport, call: Call) throws {
        try withIdentity(transport) {
            for name in ["acct", "srvr", "icmt", "volm", "xxxx"] as [CFString] {
                #expect(call(identities([name: "x"])) == errSecNoSuchAttr, "\(name)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an attribute's value is judged as that half's`(transport: Transport) throws {
        try withIdentity(transport) {
            #expect(find(identities([kSecAttrIssuer: Date()])).status == errSecParam)
            #expect(find(identities(["sdat": 7])).status == errSecParam)
            #expect(find(identities([kSecAttrIssuer: "issuer"])).status == errSecSuccess)
            #expect(find(identities([kSecAttrSerialNumber: "\u{1}"])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the digest of an identity is its key's`(transport: Transport) throws {
        try withIdentity(transport) {
            add(key([kSecAttrApplicationTag: "other"]))
            let all: [CFString: Any] = [kSecReturnAttributes: true, kSecReturnData: true]
            let wanted = find(keys(all.merging([kSecAttrApplicationTag: "other"]) { $1 })).result as? [String: Any]
            let digest = try #require(wanted?["sha1"] as? Data)
            let found = find(identities(all.merging(["sha1": digest]) { $1 })).result as? [String: Any]
            #expect(found?["sha1"] as? Data == digest)
            #expect(found?["atag"] as? String == "other")
            try #expect(count(of: identities(["sha1": digest])) == 1)
            try #expect(attributes(of: identities())["sha1"] == nil)
            #expect(find(identities(["sha1": Data(count: 20)])).status == errSecItemNotFound)
        }
    }

    // MARK: - Results

    @Test(arguments: Transport.allCases)
    func `an identity's attributes are its key's, overlaid by its certificate's, and the certificate itself`(
        transport: Transport
    ) throws {
        try withIdentity(transport) {
            let identity = try attributes(of: identities())
            var expected = try attributes(of: keys())
            expected.merge(try attributes(of: certificates())) { _, certificate in certificate }
            expected["certdata"] = certificateData
            #expect(identity as NSDictionary == expected as NSDictionary)
            #expect(identity["labl"] as? String == "certificate")
            #expect(identity["klbl"] as? Data == keyHash)
            #expect(identity["pkhh"] as? Data == keyHash)
            #expect(identity["pdmn"] as? String == "dk")
        }
    }

    @Test(arguments: Transport.allCases)
    func `what the certificate does not have, the identity has of its key`(transport: Transport) throws {
        try withKeychain(transport) {
            var nameless = certificate()
            nameless[kSecAttrLabel] = nil
            nameless[kSecValueData] = nil
            add(nameless)
            add(key())
            let identity = try attributes(of: identities())
            #expect(identity["labl"] as? String == "key")
            #expect(identity["certdata"] == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the token of a certificate is told apart from its key's`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificate())
            add(key([kSecAttrTokenID: "key's token"]))
            try #expect(attributes(of: identities())["tkid"] as? String == "key's token")
            try #expect(attributes(of: identities())["certtkid"] == nil)
            update(certificates(), [kSecAttrTokenID: "certificate's token"])
            try #expect(attributes(of: identities())["certtkid"] as? String == "certificate's token")
        }
    }

    @Test(arguments: Transport.allCases)
    func `an identity's data is its key's`(transport: Transport) throws {
        try withIdentity(transport) {
            try #expect(value(of: identities()) == keyData)
            let found = find(identities([kSecReturnData: true, kSecReturnAttributes: true])).result as? [String: Any]
            #expect(found?["v_Data"] as? Data == keyData)
            #expect(found?["certdata"] as? Data == certificateData)
            update(keys(), [kSecValueData: Data()])
            try #expect(value(of: identities()) == Data())
        }
    }

    @Test(arguments: Transport.allCases)
    func `an identity whose key has no data has none`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificate())
            var bare = key()
            bare[kSecValueData] = nil
            add(bare)
            let found = find(identities([kSecReturnData: true]))
            #expect(found.status == errSecSuccess)
            #expect(found.result == nil)
            let all = find(identities([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]))
            #expect((all.result as? [Any])?.isEmpty == true)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the limit says how many identities come back, and in which shape`(transport: Transport) throws {
        try withKeychain(transport) {
            add(key())
            for number in 1...3 as ClosedRange<UInt8> { add(certificate([kSecAttrSerialNumber: Data([number])])) }
            let wanted: [CFString: Any] = [kSecReturnPersistentRef: true]
            func found(_ limit: Any) -> (status: OSStatus, result: CFTypeRef?) {
                find(identities(wanted.merging([kSecMatchLimit: limit]) { $1 }))
            }
            #expect(find(identities(wanted)).result is Data)
            #expect(found(kSecMatchLimitOne).result is Data)
            #expect((found(kSecMatchLimitAll).result as? [Data])?.count == 3)
            #expect((found(2).result as? [Data])?.count == 2)
            #expect((found(9).result as? [Data])?.count == 3)
            #expect(found(0).status == errSecItemNotFound)
            let byKey = identities([kSecAttrKeyType: "42", kSecMatchLimit: 2]).merging(wanted) { $1 }
            #expect((find(byKey).result as? [Data])?.count == 2)
            #expect(find(identities()).status == errSecSuccess)
            let nothing = find(identities([kSecMatchLimit: kSecMatchLimitAll]))
            #expect((nothing.result as? [Any])?.isEmpty == true)
        }
    }

    @Test(arguments: Transport.allCases)
    func `several things that are asked for come in a dictionary`(transport: Transport) throws {
        try withIdentity(transport) {
            let two = find(identities([kSecReturnData: true, kSecReturnPersistentRef: true])).result as? [String: Any]
            #expect(Set(two?.keys.map { $0 } ?? []) == ["v_Data", "v_PersistentRef"])
        }
    }

    // MARK: - Feeding results back

    @Test(arguments: Transport.allCases)
    func `an identity's attributes are no query, since they have the certificate itself`(
        transport: Transport
    ) throws {
        try withIdentity(transport) {
            var again = try attributes(of: identities())
            again["class"] = "idnt"
            #expect(SecItemCopyMatching(again as CFDictionary, nil) == errSecParam)
            again["certdata"] = nil
            #expect(SecItemCopyMatching(again as CFDictionary, nil) == errSecNotAvailable)
        }
    }

    @Test(arguments: Transport.allCases)
    func `what an identity has of its certificate's name and of its key finds it again`(transport: Transport) throws {
        try withIdentity(transport) {
            add(key([kSecAttrApplicationTag: "other"]))
            add(certificate([kSecAttrSerialNumber: Data([2]), kSecAttrLabel: "other"]))
            let wanted = identities([kSecAttrLabel: "certificate", kSecAttrApplicationTag: ""])
            let identity = try attributes(of: wanted)
            let names = [
                "labl", "issr", "slnr", "kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat", "priv",
                "sync", "tomb", "musr",
            ]
            var again: [CFString: Any] = identities()
            for name in names {
                #expect(identity[name] != nil, "\(name)")
                again[name as CFString] = identity[name]
            }
            try #expect(count(of: again) == 1)
            try #expect(reference(of: again) == reference(of: wanted))
        }
    }

    // MARK: - Persistent references

    @Test(arguments: Transport.allCases)
    func `a persistent reference names the class of identities and the certificate`(transport: Transport) throws {
        try withIdentity(transport) {
            let bytes = try reference(of: identities())
            #expect(bytes.prefix(4) == Data("idnt".utf8))
            try #expect(bytes.dropFirst(4) == reference(of: certificates()).dropFirst(4))
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference finds its identity, with and without the class`(transport: Transport) throws {
        try withIdentity(transport) {
            add(certificate([kSecAttrPublicKeyHash: otherHash, kSecAttrSerialNumber: Data([2])]))
            add(key([kSecAttrApplicationLabel: otherHash, kSecValueData: Data("other".utf8)]))
            let bytes = try reference(of: identities([kSecAttrSerialNumber: Data([2])]))
            try #expect(value(of: [kSecValuePersistentRef: bytes]) == Data("other".utf8))
            try #expect(value(of: identities([kSecValuePersistentRef: bytes])) == Data("other".utf8))
            try #expect(reference(of: [kSecValuePersistentRef: bytes]) == bytes)
            let found = try attributes(of: [kSecValuePersistentRef: bytes])
            #expect(
                found as NSDictionary == (try attributes(of: identities([kSecAttrApplicationLabel: otherHash])))
                    as NSDictionary
            )
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference finds an identity whatever its halves are synchronized`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificate([kSecAttrSynchronizable: true]))
            add(key([kSecAttrSynchronizable: true]))
            let bytes = try reference(of: identities([kSecAttrSynchronizable: true]))
            try #expect(value(of: [kSecValuePersistentRef: bytes]) == keyData)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference finds no identity that lost a half, and finds it again`(transport: Transport) throws {
        try withIdentity(transport) {
            let bytes = try reference(of: identities())
            delete(keys())
            #expect(find([kSecValuePersistentRef: bytes]).status == errSecItemNotFound)
            add(key())
            #expect(find([kSecValuePersistentRef: bytes]).status == errSecSuccess)
            delete(certificates())
            add(certificate())
            #expect(find([kSecValuePersistentRef: bytes]).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference to an identity is of no other class, and goes with no attribute`(
        transport: Transport
    ) throws {
        try withIdentity(transport) {
            let bytes = try reference(of: identities())
            for other in [kSecClassCertificate, kSecClassKey, kSecClassGenericPassword] {
                #expect(find([kSecClass: other, kSecValuePersistentRef: bytes]).status == errSecNoSuchClass)
            }
            let ofCertificate = try reference(of: certificates())
            #expect(find(identities([kSecValuePersistentRef: ofCertificate])).status == errSecNoSuchClass)
            for (name, value) in [("labl", "certificate"), ("agrp", "test.default"), ("sync", true)]
                as [(CFString, Any)]
            {
                #expect(find([kSecValuePersistentRef: bytes, name: value]).status == errSecParam, "\(name)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a persistent reference to an identity of which a half is foreign is not found`(transport: Transport) throws {
        let fixture = try KeychainFixture(transport)
        let bytes = try fixture.asProgram(groups: ["certificates", "keys"]) {
            add(certificate([kSecAttrAccessGroup: "certificates"]))
            add(key([kSecAttrAccessGroup: "keys"]))
            return try reference(of: identities())
        }
        for groups in [["certificates"], ["keys"]] {
            fixture.asProgram(groups: groups) {
                #expect(find([kSecValuePersistentRef: bytes]).status == errSecItemNotFound)
                #expect(delete([kSecValuePersistentRef: bytes]) == errSecItemNotFound)
            }
        }
        fixture.asProgram(groups: ["certificates", "keys"]) {
            #expect(find([kSecValuePersistentRef: bytes]).status == errSecSuccess)
        }
    }

    // MARK: - Adding

    @Test(arguments: Transport.allCases)
    func `an identity is not made of attributes`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(identities([kSecAttrLabel: "x", kSecValueData: keyData])) == errSecParam)
            #expect(add(identities()) == errSecParam)
            #expect(find(certificates()).status == errSecItemNotFound)
            #expect(find(keys()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an identity comes with an access control of its certificate's accessibility`(transport: Transport) throws {
        try withIdentity(transport) {
            let control = try attributes(of: identities())["accc"] as? SecAccessControl
            #expect(control?.description == "<SecAccessControlRef: dk>")
        }
    }
}
