import KeychainModel
import Testing

@testable import KeychainVault

@Suite("The stored form of attributes")
struct AttributeCodecTests {
    private func decode(_ bytes: [UInt8]) -> AttributeList? {
        bytes.withUnsafeBytes { AttributeCodec.decode($0) }
    }

    private static let sample: AttributeList = {
        var list = AttributeList()
        list["acct"] = .string("älice")
        list["gena"] = .data([0, 1, 255])
        list["crtr"] = .integer(-2)
        list["cdat"] = .date(726_000_000.25)
        list["type"] = .real(1.5)
        list["labl"] = .string("")
        return list
    }()

    @Test func `every kind of value comes back as it was`() {
        let encoded = AttributeCodec.encode(Self.sample)
        #expect(decode(encoded) == Self.sample)
    }

    @Test func `the bytes are those of the format's page`() {
        var list = AttributeList()
        list["labl"] = .string("ab")
        list["acct"] = .data([7])
        list["port"] = .integer(443)
        #expect(
            AttributeCodec.encode(list) == [
                1,
                0x61, 0x63, 0x63, 0x74, 2, 1, 7,
                0x6C, 0x61, 0x62, 0x6C, 1, 2, 0x61, 0x62,
                0x70, 0x6F, 0x72, 0x74, 3, 8, 0, 0, 0, 0, 0, 0, 1, 0xBB,
            ]
        )
    }

    @Test(arguments: [0, 1, 127, 128, 129, 16383, 16384, 1 << 20])
    func `a value of any allowed length comes back`(length: Int) {
        var list = AttributeList()
        list["gena"] = .data([UInt8](repeating: 9, count: length))
        #expect(decode(AttributeCodec.encode(list)) == list)
    }

    @Test func `an empty list is one byte, and nothing at all is no list`() {
        #expect(AttributeCodec.encode(AttributeList()) == [1])
        #expect(decode([1]) == AttributeList())
        #expect(decode([]) == nil)
    }

    @Test func `another version is refused`() {
        var bytes = AttributeCodec.encode(Self.sample)
        bytes[0] = 2
        #expect(decode(bytes) == nil)
    }

    @Test func `keys out of order are refused`() {
        #expect(decode([1] + Self.entry("labl", 1, [1], [0x61]) + Self.entry("acct", 1, [1], [0x61])) == nil)
    }

    @Test func `a key that is there twice is refused`() {
        #expect(decode([1] + Self.entry("acct", 1, [1], [0x61]) + Self.entry("acct", 1, [1], [0x62])) == nil)
    }

    @Test(arguments: [[0x81, 0x00], [0x81, 0x80, 0x00], [0x80, 0x00]])
    func `a length in more bytes than it needs is refused`(length: [UInt8]) {
        #expect(decode([1] + Self.entry("acct", 2, [UInt8(1)], [0x61])) != nil)
        #expect(decode([1] + Self.entry("acct", 2, length, [0x61])) == nil)
    }

    @Test(arguments: [[0xFF, 0xFF, 0xFF, 0x7F], [0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [2]])
    func `a length beyond the end is refused`(length: [UInt8]) {
        #expect(decode([1] + Self.entry("acct", 2, length, [0x61])) == nil)
    }

    @Test(arguments: [0, 1, 7, 9])
    func `a number of other than eight bytes is refused`(length: UInt8) {
        for type: UInt8 in [3, 4, 5] {
            let value = [UInt8](repeating: 0, count: Int(length))
            #expect(decode([1] + Self.entry("port", type, [length], value)) == nil)
        }
    }

    @Test(arguments: [0, 6, 255])
    func `an unknown type is refused`(type: UInt8) {
        #expect(decode([1] + Self.entry("acct", type, [1], [0x61])) == nil)
    }

    @Test func `text that is no UTF-8 is refused`() {
        #expect(decode([1] + Self.entry("acct", 1, [2], [0xC3, 0x28])) == nil)
    }

    @Test func `bytes after the end are refused`() {
        let bytes = AttributeCodec.encode(Self.sample)
        for extra: [UInt8] in [[0], [1], [0x61, 0x63, 0x63]] {
            #expect(decode(bytes + extra) == nil)
        }
    }

    @Test func `no beginning of a list passes for the whole, unless it ends with an attribute`() {
        let bytes = AttributeCodec.encode(Self.sample)
        let whole = (0..<bytes.count).filter { decode(Array(bytes.prefix($0))) != nil }
        // One for the bare version byte, and one after each attribute but the last.
        #expect(whole.count == Self.sample.count)
    }

    @Test func `what decodes encodes to the same bytes, whatever single byte is changed`() {
        let bytes = AttributeCodec.encode(Self.sample)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                if let list = decode(changed) { #expect(AttributeCodec.encode(list) == changed) }
            }
        }
    }

    private static func entry(_ key: String, _ type: UInt8, _ length: [UInt8], _ value: [UInt8]) -> [UInt8] {
        Array(key.utf8) + [type] + length + value
    }
}
