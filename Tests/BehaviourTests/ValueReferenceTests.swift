import Foundation
import KeychainTestSupport
import Security
import Testing

@Suite("Items by reference to an object")
struct ValueReferenceTests {
    private let data: Data
    private let certificate: SecCertificate
    private let key: SecKey

    init() throws {
        data = try OpenSSL.certificate(
            "/C=SE/O=My  Company/CN=Alice/emailAddress=alice@example.com",
            ["-set_serial", "0x80FF"]
        )
        certificate = try #require(SecCertificateCreateWithData(nil, data as CFData))
        key = try #require(SecCertificateCopyKey(certificate))
    }

    private func item(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
        more.merging([kSecValueRef: certificate]) { old, _ in old }
    }

    /// Another certificate of the same name.
    private func other() throws -> SecCertificate {
        let data = try OpenSSL.certificate("/C=SE/O=My  Company/CN=Alice/emailAddress=alice@example.com")
        return try #require(SecCertificateCreateWithData(nil, data as CFData))
    }

    @Test(arguments: Transport.allCases)
    func `the key of an Ed25519 certificate is stored, found and returned as an object`(transport: Transport) throws {
        let data = try OpenSSL.certificate("/CN=Ed", key: ["ed25519"])
        let certificate = try #require(SecCertificateCreateWithData(nil, data as CFData))
        let key = try #require(SecCertificateCopyKey(certificate))
        try withKeychain(transport) {
            #expect(add([kSecValueRef: key]) == errSecSuccess)
            let found = find([kSecClass: kSecClassKey, kSecAttrKeyType: "105", kSecReturnRef: true]).result
            #expect(found as? SecKey == key)
            #expect(find([kSecValueRef: key]).status == errSecSuccess)
            try #expect(attributes(of: [kSecValueRef: key])["kcls"] as? Int == 0)
        }
    }

    // MARK: - Certificates

    @Test(arguments: Transport.allCases)
    func `a certificate brings its class, its attributes, its label and its data`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(item()) == errSecSuccess)
            let found = find(certificates([kSecReturnAttributes: true, kSecReturnData: true])).result
            let item = try #require(found as? [String: Any])
            let subject = try #require(SecCertificateCopyNormalizedSubjectSequence(certificate) as Data?)
            #expect(item["ctyp"] as? Int == 3)
            #expect(item["cenc"] as? Int == 3)
            #expect(item["subj"] as? Data == subject.dropFirst(2))
            #expect(item["issr"] as? Data == subject.dropFirst(2))
            #expect(item["slnr"] as? Data == Data([0x00, 0x80, 0xFF]))
            let hash = try #require(SecKeyCopyAttributes(key) as? [String: Any])["klbl"] as? Data
            #expect(item["pkhh"] as? Data == hash)
            // OpenSSL's key identifier is the same hash.
            #expect(item["skid"] as? Data == hash)
            #expect(item["labl"] as? String == "Alice")
            #expect(item["pdmn"] as? String == "dk")
            #expect(item["v_Data"] as? Data == data)
        }
    }

    @Test(arguments: Transport.allCases)
    func `what the dictionary says itself counts more than what the certificate says`(transport: Transport) throws {
        try withKeychain(transport) {
            let own: [CFString: Any] = [
                kSecClass: kSecClassCertificate, kSecAttrLabel: "Mine", kSecAttrSerialNumber: Data([7]),
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
            ]
            #expect(add(item(own)) == errSecSuccess)
            let found = try attributes(of: certificates())
            #expect(found["labl"] as? String == "Mine")
            #expect(found["slnr"] as? Data == Data([7]))
            #expect(found["pdmn"] as? String == "ck")
        }
    }

    @Test(arguments: Transport.allCases)
    func `the same certificate again is a duplicate, and another of the same name is not`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(item()) == errSecSuccess)
            #expect(add(item([kSecAttrLabel: "another"])) == errSecDuplicateItem)
            #expect(SecCertificateAddToKeychain(certificate, nil) == errSecDuplicateItem)
            try #expect(add([kSecValueRef: other()]) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a certificate is added to the keychain by its own function too`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(SecCertificateAddToKeychain(certificate, nil) == errSecSuccess)
            try #expect(value(of: item()) == data)
        }
    }

    @Test(arguments: Transport.allCases)
    func `it is found by issuer, subject, serial number, key and e-mail address, and only by those it has`(
        transport: Transport
    ) throws {
        let name = Data(try #require(CertificateName(issuerOf: data)).bytes)
        let normalized = try #require(SecCertificateCopyNormalizedIssuerSequence(certificate) as Data?)
        let serial = try #require(SecCertificateCopySerialNumberData(certificate, nil) as Data?)
        let hash = try #require(SecKeyCopyAttributes(key) as? [String: Any])["klbl"] as? Data ?? Data()
        let cases: [(CFString, Any, Any)] = [
            (kSecAttrIssuer, name, name.dropLast()), (kSecAttrIssuer, normalized, normalized.dropLast()),
            (kSecAttrIssuer, normalized.dropFirst(2), Data()), (kSecAttrSubject, normalized.dropFirst(2), Data()),
            (kSecAttrSerialNumber, serial, serial.dropFirst()), (kSecAttrSubjectKeyID, hash, hash.dropLast()),
            (kSecAttrPublicKeyHash, hash, hash.dropLast()), (kSecAttrLabel, "Alice", "alice"),
            (kSecMatchEmailAddressIfPresent, "ALICE@example.com", "bob@example.com"),
            (kSecMatchIssuers, [name], [Data([0x30, 0x00])]),
        ]
        try withKeychain(transport) {
            add(item())
            for (key, value, wrong) in cases {
                #expect(find(certificates([key: value])).status == errSecSuccess, "\(key)")
                #expect(find(certificates([key: wrong])).status == errSecItemNotFound, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `the attributes that come back find the item`(transport: Transport) throws {
        try withKeychain(transport) {
            add(item())
            var query = try attributes(of: certificates())
            query[kSecClass as String] = kSecClassCertificate
            query[kSecReturnData as String] = true
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            #expect(result as? Data == data)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a certificate finds, updates and deletes its own item and no other`(transport: Transport) throws {
        let other = try other()
        try withKeychain(transport) {
            #expect(find(item()).status == errSecItemNotFound)
            #expect(update(item(), [kSecAttrLabel: "x"]) == errSecItemNotFound)
            #expect(delete(item()) == errSecItemNotFound)
            add(item([kSecAttrLabel: "one"]))
            add([kSecValueRef: other, kSecAttrLabel: "two"])
            try #expect(attributes(of: item())["labl"] as? String == "one")
            #expect(update(item(), [kSecAttrLabel: "three"]) == errSecSuccess)
            try #expect(labels(of: certificates()) == ["three", "two"])
            try #expect(labels(of: item([kSecAttrLabel: "two"])) == [])
            #expect(delete(item()) == errSecSuccess)
            try #expect(labels(of: certificates()) == ["two"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add by reference gives the object back`(transport: Transport) throws {
        try withKeychain(transport) {
            let added = addReturning(item([kSecReturnRef: true])).result
            #expect(CFEqual(added, certificate))
            #expect(CFEqual(find(item([kSecReturnRef: true])).result, certificate))
        }
    }

    // MARK: - Classes and types

    @Test(arguments: Transport.allCases)
    func `a class that is not the object's is an error in every call`(transport: Transport) throws {
        try withKeychain(transport) {
            add(item())
            for other in [kSecClassKey, kSecClassIdentity, kSecClassGenericPassword] {
                for call in Call.allCases { #expect(call(item([kSecClass: other])) == errSecNoSuchClass, "\(call)") }
            }
            for call in Call.allCases {
                #expect(call([kSecClass: kSecClassCertificate, kSecValueRef: key]) == errSecNoSuchClass, "\(call)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an object of which no items are made is a wrong parameter in every call`(transport: Transport) throws {
        let control = try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil))
        let policy = SecPolicyCreateBasicX509()
        try withKeychain(transport) {
            for object in [control, policy, NSObject(), data, "text", NSNull()] as [Any] {
                for call in Call.allCases {
                    #expect(call([kSecClass: kSecClassCertificate, kSecValueRef: object]) == errSecParam, "\(object)")
                    #expect(call([kSecValueRef: object]) == errSecParam, "\(object)")
                }
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an attribute of another class is an error beside an object`(transport: Transport) throws {
        try withKeychain(transport) {
            for call in Call.allCases { #expect(call(item([kSecAttrApplicationTag: "x"])) == errSecNoSuchAttr) }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an object beside a persistent reference is one attribute too many in a search`(transport: Transport) throws {
        try withKeychain(transport) {
            add(item())
            let reference = try reference(of: certificates())
            #expect(find(item([kSecValuePersistentRef: reference])).status == errSecParam)
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update does not change an item into another object`(transport: Transport) throws {
        try withKeychain(transport) {
            add(item())
            #expect(update(certificates(), [kSecValueRef: certificate]) == errSecParam)
        }
    }

    // MARK: - Public keys

    @Test(arguments: Transport.allCases)
    func `a public key brings its attributes and its data, and comes back as an object`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add([kSecValueRef: key, kSecAttrApplicationTag: "tag"]) == errSecSuccess)
            let item = try attributes(of: keys())
            let own = try #require(SecKeyCopyAttributes(key) as? [String: Any])
            #expect(item["kcls"] as? Int == 0)
            #expect(item["type"] as? Int == 73)
            #expect(item["bsiz"] as? Int == 256)
            #expect(item["esiz"] as? Int == 256)
            #expect(item["klbl"] as? Data == own["klbl"] as? Data)
            for flag in ["perm", "priv", "modi", "extr", "encr", "vrfy", "wrap"] {
                #expect(item[flag] as? Int == 1, "\(flag)")
            }
            for flag in ["sens", "asen", "next", "decr", "drve", "sign", "unwp"] {
                #expect(item[flag] as? Int == 0, "\(flag)")
            }
            #expect(item["atag"] as? String == "tag")
            #expect(item["pdmn"] as? String == "ak")
            try #expect(value(of: keys()) == SecKeyCopyExternalRepresentation(key, nil) as Data?)
            #expect(CFEqual(find(keys([kSecReturnRef: true])).result, key))
            let dictionary = find(keys([kSecReturnRef: true, kSecReturnAttributes: true])).result as? [String: Any]
            #expect(dictionary?["v_Ref"] as? SecKey == key)
            #expect(dictionary?["class"] as? String == "keys")
        }
    }

    @Test(arguments: Transport.allCases)
    func `a public key finds, updates and deletes its item, whatever its tag`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(find([kSecValueRef: key]).status == errSecItemNotFound)
            add([kSecValueRef: key, kSecAttrApplicationTag: "tag"])
            #expect(add([kSecValueRef: key, kSecAttrApplicationTag: "tag"]) == errSecDuplicateItem)
            #expect(find([kSecValueRef: key]).status == errSecSuccess)
            #expect(update([kSecValueRef: key], [kSecAttrLabel: "label"]) == errSecSuccess)
            try #expect(attributes(of: keys())["labl"] as? String == "label")
            #expect(delete([kSecValueRef: key]) == errSecSuccess)
            #expect(find(keys()).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a public key beside its certificate is found as an identity, which has no object`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(item())
            #expect(find(identities()).status == errSecItemNotFound)
            add([kSecValueRef: key])
            #expect(find(identities()).status == errSecSuccess)
            let outcome = resultAfter {
                SecItemCopyMatching(identities([kSecReturnRef: true]) as CFDictionary, $0)
            }
            #expect(outcome.status == errSecSuccess && outcome.result == nil && !outcome.isUntouched)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a public key that is given by attributes and data comes back as an object`(transport: Transport) throws {
        try withKeychain(transport) {
            let point = try #require(SecKeyCopyExternalRepresentation(key, nil) as Data?)
            let item = keys([
                kSecAttrKeyClass: kSecAttrKeyClassPublic, kSecAttrKeyType: kSecAttrKeyTypeEC, kSecValueData: point,
                kSecReturnRef: true,
            ])
            #expect(CFEqual(addReturning(item).result, key))
            #expect(CFEqual(find(keys([kSecReturnRef: true])).result, key))
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item of a public key whose data is none has no object`(transport: Transport) throws {
        for data in [nil, Data(), Data("garbage".utf8)] as [Data?] {
            try withKeychain(transport) {
                var item = keys([kSecAttrKeyClass: kSecAttrKeyClassPublic, kSecAttrKeyType: kSecAttrKeyTypeRSA])
                if let data { item[kSecValueData] = data }
                add(item)
                let outcome = resultAfter { SecItemCopyMatching(keys([kSecReturnRef: true]) as CFDictionary, $0) }
                #expect(outcome.status == errSecSuccess)
                #expect(outcome.result == nil && !outcome.isUntouched)
            }
        }
    }
}

/// The Name of the issuer as it stands in a certificate of OpenSSL, in DER.
private struct CertificateName {
    let bytes: [UInt8]

    init?(issuerOf certificate: Data) {
        // version, serial number, algorithm, issuer: each a tag and a length of one byte, but for the outermost two.
        var rest = Array(certificate).dropFirst(4).dropFirst(4)
        for _ in 0..<3 {
            guard let length = rest.dropFirst().first else { return nil }
            rest = rest.dropFirst(2 + Int(length))
        }
        guard let length = rest.dropFirst().first, rest.first == 0x30, length < 0x80 else { return nil }
        bytes = Array(rest.prefix(2 + Int(length)))
    }
}
