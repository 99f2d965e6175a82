import Foundation
import Security
import Testing

@Suite("Keys as items")
struct KeyItemTests {
    private static let epoch = Date(timeIntervalSinceReferenceDate: 0)
    private static let later = Date(timeIntervalSinceReferenceDate: 1000)

    @Test(arguments: Transport.allCases)
    func `keys that differ in one attribute of the primary key are different items`(transport: Transport) throws {
        let cases: [(CFString, Any, Any)] = [
            ("kcls", 0, 1), ("klbl", Data([1]), Data([2])), ("atag", "one", "two"), ("crtr", 1, 2), ("type", 42, 73),
            ("bsiz", 256, 384), ("esiz", 256, 384), ("sdat", Self.epoch, Self.later), ("edat", Self.epoch, Self.later),
        ]
        try withKeychain(transport) {
            for (name, one, two) in cases {
                #expect(add(key([name: one])) == errSecSuccess, "\(name)")
                #expect(add(key([name: two])) == errSecSuccess, "\(name)")
                #expect(add(key([name: one])) == errSecDuplicateItem, "\(name)")
                delete(keys())
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `attributes outside the primary key make no different key`(transport: Transport) throws {
        let flags = [
            "perm", "priv", "modi", "sens", "asen", "extr", "next", "encr", "decr", "drve", "sign", "vrfy", "snrc",
            "vyrc", "wrap", "unwp",
        ]
        let others: [CFString: Any] = [
            kSecAttrLabel: "label", "alis": "alias", kSecAttrAccessible: "ck", "sysb": 1, kSecValueData: Data([1]),
            kSecAttrCreationDate: Date(timeIntervalSince1970: 0),
        ]
        try withKeychain(transport) {
            add(key())
            for (name, value) in others {
                #expect(add(key([name: value])) == errSecDuplicateItem, "\(name)")
            }
            for name in flags {
                #expect(add(key([name as CFString: false])) == errSecDuplicateItem, "\(name)")
                #expect(update(keys(), [name as CFString: true]) == errSecSuccess, "\(name)")
                let item = try attributes(of: keys([name as CFString: 1]))
                #expect(item[name] as? Int == 1 && isNumber(item[name]), "\(name)")
                #expect(find(keys([name as CFString: 0])).status == errSecItemNotFound, "\(name)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key that says nothing has an empty tag, an empty label, zeroes and dates of 2001`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            let added = addReturning(keys([kSecReturnAttributes: true])).result as? [String: Any]
            let expected: Set = [
                "accc", "agrp", "atag", "bsiz", "cdat", "crtr", "edat", "esiz", "kcls", "klbl", "mdat", "pdmn", "sdat",
                "sha1", "sync", "type",
            ]
            #expect(Set(added?.keys.map { $0 } ?? []) == expected)
            let item = try attributes(of: keys())
            #expect(item["atag"] as? String == "")
            #expect(item["klbl"] as? Data == Data())
            for name in ["kcls", "crtr", "type", "bsiz", "esiz", "sync", "tomb"] {
                #expect(item[name] as? Int == 0, "\(name)")
                #expect(isNumber(item[name]), "\(name)")
            }
            for name in ["sdat", "edat"] { #expect(item[name] as? Date == Self.epoch, "\(name)") }
            #expect(item["pdmn"] as? String == "ak")
            #expect(item["musr"] as? Data == Data())
            let same: [CFString: Any] = [
                "atag": Data(), "klbl": "", "kcls": 0, "type": "0", "sdat": Self.epoch, "edat": Self.epoch,
            ]
            #expect(add(keys(same)) == errSecDuplicateItem)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the public and the private key of one pair coexist`(transport: Transport) throws {
        try withKeychain(transport) {
            #expect(add(key([kSecAttrKeyClass: kSecAttrKeyClassPublic])) == errSecSuccess)
            #expect(add(key([kSecAttrKeyClass: kSecAttrKeyClassPrivate])) == errSecSuccess)
            try #expect(count(of: keys([kSecAttrApplicationLabel: keyHash])) == 2)
            // Both are marked as private, so that this does not tell them apart.
            try #expect(count(of: keys(["priv": true])) == 2)
            try #expect(count(of: keys([kSecAttrKeyClass: kSecAttrKeyClassPublic])) == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func `class and type are constants of text, come back as numbers, and are found by either`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            add(key([kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom]))
            let item = try attributes(of: keys())
            #expect(item["kcls"] as? Int == 1)
            #expect(item["type"] as? Int == 73)
            #expect(isNumber(item["kcls"]) && isNumber(item["type"]))
            for value in ["73", 73, 73.0] as [Any] {
                #expect(find(keys([kSecAttrKeyType: value])).status == errSecSuccess, "\(value)")
                #expect(add(key([kSecAttrKeyType: value])) == errSecDuplicateItem, "\(value)")
            }
            for value in ["1", 1, true] as [Any] {
                #expect(find(keys([kSecAttrKeyClass: value])).status == errSecSuccess, "\(value)")
            }
            #expect(find(keys([kSecAttrKeyType: "42"])).status == errSecItemNotFound)
            #expect(find(keys([kSecAttrKeyType: "073"])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key is found by each number and date, and only by the value it has`(transport: Transport) throws {
        let cases: [(CFString, Any, Any)] = [
            ("crtr", 7, 8), ("type", "42", "73"), ("bsiz", 2048, 2047), ("bsiz", "2048", "4096"), ("esiz", 2048, 2047),
            ("sdat", Self.later, Self.epoch), ("edat", Self.later, Self.epoch), ("kcls", "2", "1"),
        ]
        try withKeychain(transport) {
            for (name, value, other) in cases {
                #expect(add(key([name: value])) == errSecSuccess, "\(name)")
                #expect(find(keys([name: value])).status == errSecSuccess, "\(name)")
                #expect(find(keys([name: other])).status == errSecItemNotFound, "\(name)")
                delete(keys())
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a tag keeps the type that it was given, and is found by any spelling of its bytes`(
        transport: Transport
    ) throws {
        try withKeychain(transport) {
            for tag in ["com.example.key", Data("com.example.key".utf8)] as [Any] {
                add(key([kSecAttrApplicationTag: tag]))
                #expect(add(key([kSecAttrApplicationTag: "com.example.key"])) == errSecDuplicateItem)
                for spelling in ["com.example.key", Data("com.example.key".utf8)] as [Any] {
                    let item = try attributes(of: keys([kSecAttrApplicationTag: spelling]))
                    #expect((item["atag"] is String) == (tag is String))
                }
                delete(keys())
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a key's dates are dates and nothing else`(transport: Transport) throws {
        try withKeychain(transport) {
            for name in ["sdat", "edat"] as [CFString] {
                for value in [0, "2001-01-01", Data()] as [Any] {
                    #expect(add(key([name: value])) == errSecParam, "\(name)")
                    #expect(find(keys([name: value])).status == errSecParam, "\(name)")
                }
            }
        }
    }
}
