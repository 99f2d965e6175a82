import PasskeyProtocol
import Testing

/// The examples of RFC 8949, appendix A, and the canonical form of CTAP2.
struct CBORTests {
    private static let supported: [(hex: String, value: CBORValue)] = [
        ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100), ("1903e8", 1_000),
        ("1a000f4240", 1_000_000), ("1b000000e8d4a51000", 1_000_000_000_000),
        ("20", -1), ("29", -10), ("3863", -100), ("3903e7", -1_000),
        ("f4", false), ("f5", true), ("f6", .null),
        ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
        ("60", ""), ("6161", "a"), ("6449455446", "IETF"), ("62225c", "\"\\"), ("62c3bc", "\u{fc}"),
        ("63e6b0b4", "\u{6c34}"), ("64f0908591", "\u{10151}"),
        ("80", []), ("83010203", [1, 2, 3]), ("8301820203820405", [1, [2, 3], [4, 5]]),
        ("98190102030405060708090a0b0c0d0e0f101112131415161718181819", .array((1...25).map { .integer($0) })),
        ("a0", [:]), ("a201020304", [1: 2, 3: 4]), ("a26161016162820203", ["a": 1, "b": [2, 3]]),
        ("826161a161626163", ["a", ["b": "c"]]),
        ("a56161614161626142616361436164614461656145", ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]),
        // The ends of Int64, and the first number of each length.
        ("1b7fffffffffffffff", .integer(.max)), ("3b7fffffffffffffff", .integer(.min)),
        ("18ff", 255), ("190100", 256), ("19ffff", 65_535), ("1a00010000", 65_536), ("1affffffff", 4_294_967_295),
        ("1b0000000100000000", 4_294_967_296), ("37", -24), ("3818", -25), ("38ff", -256), ("390100", -257),
    ]

    @Test func `the examples that are supported decode, and encode to the same bytes`() throws {
        for (hex, value) in Self.supported {
            let bytes = cborBytes(hex)
            #expect(try CBORValue(decoding: bytes) == value, "\(hex)")
            #expect(value.encoded == bytes, "\(hex)")
        }
    }

    @Test(arguments: [
        // Integers beyond Int64, and integers as tagged bytes.
        "1bffffffffffffffff", "3bffffffffffffffff", "1b8000000000000000", "3b8000000000000000",
        "c249010000000000000000", "c349010000000000000000",
        "f90000", "f98000", "f93c00", "fb3ff199999999999a", "f93e00", "f97bff", "fa47c35000", "fa7f7fffff",
        "fb7e37e43c8800759c", "f90001", "f90400", "f9c400", "fbc010666666666666", "f97c00", "f97e00", "f9fc00",
        "fa7f800000", "fa7fc00000", "faff800000", "fb7ff0000000000000", "fb7ff8000000000000", "fbfff0000000000000",
        "f7", "f0", "f818", "f8ff", "f3", "fc", "fd", "fe", "ff",
        "c074323031332d30332d32315432303a30343a30305a", "c11a514b67b0", "d74401020304", "d818456449455446",
        "d82076687474703a2f2f7777772e6578616d706c652e636f6d",
        "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff", "9f018202039f0405ffff", "9f01820203820405ff",
        "83018202039f0405ff", "83019f0203ff820405", "bf61610161629f0203ffff", "826161bf61626163ff",
        "bf6346756ef563416d7421ff", "1f", "3f", "df", "9f", "bf",
    ])
    func `an example of another kind is refused`(hex: String) {
        expectRefusal(hex)
    }

    @Test(arguments: [
        "1800", "1817", "190018", "1900ff", "1a0000ffff", "1b00000000ffffffff", "3817", "3900ff", "3a0000ffff",
        "3b00000000ffffffff", "5800", "58024142", "780161", "7900020000", "980100", "b8010000", "99000100",
        "1c", "1d", "1e", "3c", "5d", "7e", "9c", "bd",
    ])
    func `a number or a length that is not in its shortest form is refused`(hex: String) {
        expectRefusal(hex)
    }

    @Test(arguments: [
        "a201000100", "a202000100", "a220000100", "a221002000", "a2616100616100", "a2616200616100", "a262616100616200",
        "a26161000100", "a26161002000", "a21818000a00", "a219010000181800", "a3010020000200",
    ])
    func `keys that are out of order or appear twice are refused`(hex: String) {
        expectRefusal(hex)
    }

    @Test(arguments: ["a14000", "a1410000", "a18000", "a1a000", "a1f400", "a1f600", "a20100400000"])
    func `a key that is neither an integer nor a text is refused`(hex: String) {
        expectRefusal(hex)
    }

    @Test(arguments: ["61ff", "62c328", "61c3", "63eda080", "62c080", "64f4908080", "a161ff00"])
    func `a text that is not UTF-8 is refused`(hex: String) {
        expectRefusal(hex)
    }

    @Test(arguments: ["", "0000", "f4f4", "8000", "a000", "4041", "6061"])
    func `no bytes, or bytes behind the end, are refused`(hex: String) {
        expectRefusal(hex)
    }

    @Test(arguments: [
        "9bffffffffffffffff", "9b7fffffffffffffff", "9affffffff", "99ffff00", "bbffffffffffffffff",
        "bb7fffffffffffffff", "bb4000000000000000", "baffffffff0000", "5bffffffffffffffff", "5b7fffffffffffffff",
        "5affffffff00", "7bffffffffffffffff", "7b8000000000000000", "7affffffff61", "9b00000001000000000000",
        "8200", "a100", "a2010002", "4200", "6261",
    ])
    func `a hostile length is refused`(hex: String) {
        expectRefusal(hex)
    }

    @Test func `keys are ordered by type, then by length, then by their bytes`() throws {
        let map: CBORMap = [
            "b": 0, "aa": 0, "a": 0, -1: 0, 1_000: 0, 0: 0, 24: 0, 23: 0, -25: 0, -24: 0, "": 0, "\u{fc}": 0, -257: 0,
        ]
        let keys: [CBORValue] = [0, 23, 24, 1_000, -1, -24, -25, -257, "", "a", "b", "aa", "\u{fc}"]
        #expect(map.entries.map(\.key) == keys)
        let bytes = CBORValue.map(map).encoded
        #expect(try CBORValue(decoding: bytes).map == map)
    }

    @Test func `texts that only look the same are different keys`() throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        #expect(CBORValue.text(composed) != .text(decomposed))
        let map: CBORMap = [.text(composed): 1, .text(decomposed): 2]
        #expect(map.entries.count == 2)
        #expect(map[composed] == 1)
        #expect(map[decomposed] == 2)
        #expect(try CBORValue(decoding: CBORValue.map(map).encoded) == .map(map))
        #expect(Set([CBORValue.text(composed), .text(decomposed)]).count == 2)
    }

    @Test func `a map is changed by key, and keeps no key that CTAP2 does not know`() {
        var map = CBORMap()
        #expect(map.isEmpty)
        map[3] = "three"
        map["id"] = .bytes([1])
        map[-2] = true
        map[1] = nil
        map[3] = 33
        #expect(map == [3: 33, -2: true, "id": .bytes([1])])
        map["id"] = nil
        map[.bytes([1])] = 1
        map[.null] = 1
        #expect(map.entries.map(\.key) == [3, -2])
        #expect(map[4] == nil && map["other"] == nil && map[.bytes([1])] == nil)
        #expect(map == [3: 1, -2: true, 3: 33] as CBORMap)
    }

    @Test func `a value is only what it is`() {
        let values: [CBORValue] = [1, .bytes([1]), "1", [1], [1: 1], true, .null]
        #expect(values.map { $0.integer != nil } == [true, false, false, false, false, false, false])
        #expect(values.map { $0.bytes != nil } == [false, true, false, false, false, false, false])
        #expect(values.map { $0.text != nil } == [false, false, true, false, false, false, false])
        #expect(values.map { $0.array != nil } == [false, false, false, true, false, false, false])
        #expect(values.map { $0.map != nil } == [false, false, false, false, true, false, false])
        #expect(values.map { $0.boolean != nil } == [false, false, false, false, false, true, false])
        #expect(values.map(\.isNull) == [false, false, false, false, false, false, true])
        #expect(Set(values).count == values.count)
    }

    @Test func `a value at the front is decoded, and the rest is returned`() throws {
        let key: CBORValue = [1: 2, 3: -7, -1: 1, -2: .bytes([5]), -3: .bytes([6])]
        let bytes = [9, 9] + key.encoded + [0xFF, 0x1C]
        let (value, rest) = try CBORValue.decodePrefix(bytes.dropFirst(2))
        #expect(value == key)
        #expect(rest == [0xFF, 0x1C])
        #expect(rest.endIndex == bytes.endIndex)
        #expect(throws: CBORFormatError.self) { try CBORValue.decodePrefix([] as [UInt8]) }
    }

    private func expectRefusal(_ hex: String) {
        #expect(throws: CBORFormatError.self, "\(hex)") { try CBORValue(decoding: cborBytes(hex)) }
    }
}

/// Nothing if the text is not hexadecimal.
func cborBytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
