import PasskeyProtocol
import Testing

/// Every end and every bit of a message, changed.
struct CBORHostileTests {
    /// Like a request for a new credential.
    private static let message: CBORValue = [
        1: .bytes([UInt8](repeating: 0x5A, count: 32)),
        2: ["id": "example.org", "name": "An example"],
        3: ["id": .bytes(Array(0..<24)), "name": "alice", "displayName": "\u{c1}lice"],
        4: [["alg": -7, "type": "public-key"], ["alg": -257, "type": "public-key"]],
        5: [
            ["id": .bytes([UInt8](repeating: 7, count: 300)), "type": "public-key", "transports": ["usb", "internal"]]
        ],
        6: ["credProtect": 2, "hmac-secret": true], 7: ["rk": true, "uv": false], 8: .null, 65_536: .integer(.min),
    ]

    @Test func `the message decodes to itself`() throws {
        #expect(try CBORValue(decoding: Self.message.encoded) == Self.message)
    }

    @Test func `a message that is cut short at any byte is refused`() {
        let bytes = Self.message.encoded
        for count in bytes.indices {
            #expect(throws: CBORFormatError.self) { try CBORValue(decoding: bytes.prefix(count)) }
        }
    }

    @Test func `a message with any bit changed is refused, or encodes to the same bytes`() {
        let bytes = Self.message.encoded
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                expectCanonical(changed)
            }
        }
    }

    @Test func `random bytes are refused, or encode to the same bytes`() {
        var random = HIDRandom(seed: 2)
        var decoded = 0
        for _ in 0..<50_000 {
            let count = Int.random(in: 0...12, using: &random)
            // Heads with small numbers are frequent, so that there is something to decode.
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) & 0xE7 }
            if expectCanonical(bytes) { decoded += 1 }
        }
        #expect(decoded > 1_000)
    }

    @Test func `random values encode to bytes that decode to them`() throws {
        var random = HIDRandom(seed: 3)
        for _ in 0..<1_000 {
            let value = Self.value(depth: 4, &random)
            #expect(try CBORValue(decoding: value.encoded) == value)
        }
    }

    @Test(arguments: [[0x81] as [UInt8], [0xA1, 0x01], [0xA1, 0x61, 0x61], [0x82, 0x00]])
    func `eight arrays or maps contain each other, and nine are refused`(head: [UInt8]) throws {
        func nested(_ depth: Int) -> [UInt8] { [[UInt8]](repeating: head, count: depth).flatMap { $0 } + [0] }
        #expect(try CBORValue(decoding: nested(8)).encoded == nested(8))
        for depth in [9, 10, 1_000, 1_000_000] {
            #expect(throws: CBORFormatError.self) { try CBORValue(decoding: nested(depth)) }
        }
        // An empty array is one too.
        #expect(throws: CBORFormatError.self) { try CBORValue(decoding: nested(8).dropLast() + [0x80]) }
    }

    @Test func `many elements decode in little time`() throws {
        let array = CBORValue.array([CBORValue](repeating: [], count: 100_000))
        #expect(try CBORValue(decoding: array.encoded) == array)
        var map = CBORMap()
        for key in 0..<20_000 { map[key] = 0 }
        #expect(try CBORValue(decoding: CBORValue.map(map).encoded).map == map)
    }

    /// Whether the bytes decode.
    @discardableResult
    private func expectCanonical(_ bytes: [UInt8]) -> Bool {
        guard let value = try? CBORValue(decoding: bytes) else { return false }
        #expect(value.encoded == bytes)
        return true
    }

    private static func value(depth: Int, _ random: inout HIDRandom) -> CBORValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return number(&random)
        case 1: return .bytes((0..<Int.random(in: 0...300, using: &random)).map { UInt8(truncatingIfNeeded: $0) })
        case 2: return text(&random)
        case 3: return .boolean(Bool.random(using: &random))
        case 4: return .null
        case 5: return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth - 1, &random) })
        default:
            var map = CBORMap()
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                map[Bool.random(using: &random) ? number(&random) : text(&random)] = value(depth: depth - 1, &random)
            }
            return .map(map)
        }
    }

    private static func number(_ random: inout HIDRandom) -> CBORValue {
        .integer(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random))
    }

    private static func text(_ random: inout HIDRandom) -> CBORValue {
        let letters = (0..<Int.random(in: 0...30, using: &random)).map { _ in
            "aeb\u{301}\u{e9}\u{10151}".randomElement(using: &random)
        }
        return .text(String(letters.compactMap { $0 }))
    }
}
