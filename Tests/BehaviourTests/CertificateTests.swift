import Foundation
import Security
import Testing

@Suite("Certificates as items")
struct CertificateTests {
    @Test(
        arguments: Transport.allCases,
        [("ctyp", Data(), 1, 3), ("issr", Data("a".utf8), 0, 0), ("slnr", Data([7]), 0, 0)]
            as [(String, Data, Int, Int)]
    )
    func `certificates that differ in one attribute of the primary key are different items`(
        transport: Transport,
        difference: (key: String, bytes: Data, one: Int, two: Int)
    ) throws {
        let key = difference.key as CFString
        let values: [Any] =
            difference.key == "ctyp" ? [difference.one, difference.two] : [difference.bytes, difference.bytes + [1]]
        try withKeychain(transport) {
            #expect(add(certificate([key: values[0]])) == errSecSuccess)
            #expect(add(certificate([key: values[1]])) == errSecSuccess)
            #expect(add(certificate([key: values[0]])) == errSecDuplicateItem)
        }
    }

    @Test(arguments: Transport.allCases)
    func `attributes outside the primary key make no different certificate`(transport: Transport) throws {
        let others: [CFString: Any] = [
            kSecAttrLabel: "label", "alis": "alias", kSecAttrSubject: Data([9]), kSecAttrSubjectKeyID: Data([9]),
            kSecAttrPublicKeyHash: otherHash, kSecAttrCertificateEncoding: 3, kSecAttrAccessible: "ck", "sysb": 1,
            kSecAttrCreationDate: Date(timeIntervalSince1970: 0), kSecValueData: Data([1]),
        ]
        try withKeychain(transport) {
            add(certificate())
            for (key, value) in others {
                #expect(add(certificate([key: value])) == errSecDuplicateItem, "\(key)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a certificate that says nothing has type 0, no issuer, no serial number, and is always accessible`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            let added = addReturning(certificates([kSecReturnAttributes: true])).result as? [String: Any]
            let expected: Set = ["accc", "agrp", "cdat", "ctyp", "issr", "mdat", "pdmn", "sha1", "slnr", "sync"]
            #expect(Set(added?.keys.map { $0 } ?? []) == expected)
            let item = try attributes(of: certificates())
            #expect(item["ctyp"] as? Int == 0)
            #expect(item["issr"] as? Data == Data())
            #expect(item["slnr"] as? Data == Data())
            #expect(item["sync"] as? Int == 0)
            #expect(item["pdmn"] as? String == "dk")
            #expect(item["tomb"] as? Int == 0)
            #expect(item["musr"] as? Data == Data())
            for key in ["labl", "subj", "skid", "pkhh", "cenc", "v_Data", "class"] {
                #expect(item[key] == nil, "\(key)")
            }
            #expect(add(certificates(["ctyp": 0, "issr": Data(), "slnr": ""])) == errSecDuplicateItem)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a certificate is found by each of its attributes, and only by the value it has`(
        transport: Transport
    ) throws {
        let cases: [(CFString, Any, Any)] = [
            ("ctyp", 3, 1), ("cenc", 3, 0), ("subj", Data([1]), Data([2])), ("issr", Data([1]), Data([2])),
            ("slnr", Data([1]), Data([2])), ("skid", Data([1]), Data([2])), ("pkhh", keyHash, otherHash),
            ("labl", "one", "two"), ("alis", "one", "two"), ("pdmn", "ck", "dk"), ("tkid", "one", "two"),
        ]
        try withKeychain(transport) {
            for (key, value, other) in cases {
                #expect(add(certificates([key: value])) == errSecSuccess, "\(key)")
                #expect(find(certificates([key: value])).status == errSecSuccess, "\(key)")
                #expect(find(certificates([key: other])).status == errSecItemNotFound, "\(key)")
                delete(certificates())
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `the numbers of a certificate may be spelled as text, and come back as numbers`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificate([kSecAttrCertificateType: "3", kSecAttrCertificateEncoding: 3.0]))
            let item = try attributes(of: certificates([kSecAttrCertificateType: 3]))
            #expect(item["ctyp"] as? Int == 3)
            #expect(isNumber(item["ctyp"]))
            #expect(find(certificates([kSecAttrCertificateEncoding: "3"])).status == errSecSuccess)
            #expect(add(certificate([kSecAttrCertificateType: 3])) == errSecDuplicateItem)
        }
    }
}
