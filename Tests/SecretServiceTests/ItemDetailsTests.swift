import Crypto
import KeychainModel
import SecretServiceModel
import Testing

/// What is stored of an item beside its secret: docs/formats/secret-service.md.
@Suite struct ItemDetailsTests {
    private static func details(_ pairs: [(String, String)], _ type: String) throws -> ItemDetails {
        ItemDetails(
            attributes: try SecretAttributes(pairs.map { SecretAttributes.Pair(name: $0.0, value: $0.1) }),
            contentType: type
        )
    }

    @Test func `the bytes of version 1 are these for ever`() throws {
        let details = try Self.details([("user", "é"), ("a", "")], "text/plain")
        let bytes: [UInt8] =
            [1, 0, 0, 0, 10] + Array("text/plain".utf8) + [0, 0, 0, 1, 0x61, 0, 0, 0, 0, 0, 0, 0, 4]
            + Array("user".utf8) + [0, 0, 0, 2, 0xC3, 0xA9]
        #expect(details.serialized == bytes)
        #expect(try ItemDetails(serialized: bytes) == details)
        #expect(try ItemDetails(serialized: [1, 0, 0, 0, 0]) == Self.details([], ""))
    }

    @Test func `what is cut off, longer, of another version or no text is refused`() throws {
        let bytes = try Self.details([("user", "alice"), ("server", "x")], "text/plain").serialized
        let damaged = KeychainError(.undecodable, "")
        for count in 0..<bytes.count {
            // Where a pair ends, the bytes before it are a whole.
            guard (try? ItemDetails(serialized: Array(bytes[..<count])))?.serialized != Array(bytes[..<count]) else {
                continue
            }
            #expect(throws: damaged) { try ItemDetails(serialized: Array(bytes[..<count])) }
        }
        for other in [
            bytes + [0], [2] + bytes.dropFirst(), [1, 0xFF, 0xFF, 0xFF, 0xFF], [1, 0, 0, 0, 1, 0xFF],
            [1, 0, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]] {
            #expect(throws: damaged) { try ItemDetails(serialized: other) }
        }
    }

    @Test func `the codes of attributes are of this keychain, and neither shift nor join names and values`() throws {
        let key = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
        let codes = { (pairs: [(String, String)], key: SymmetricKey) throws in
            BlindAttributes(try Self.details(pairs, "").attributes, key: key).serialized
        }
        let golden = try codes([("server", "a")], key)
        #expect(golden.count == 17 && golden[0] == 1)
        #expect(golden.map { String($0, radix: 16) }.joined(separator: " ") == Self.golden)
        #expect(try codes([("servera", "")], key) != golden)
        #expect(try codes([("server", "a")], SymmetricKey(data: [UInt8](repeating: 8, count: 32))) != golden)
        #expect(BlindAttributes(serialized: golden + [1]) == nil && BlindAttributes(serialized: []) == nil)
    }

    private static let golden = "1 5d db 99 43 bf 93 72 69 cc d3 f6 ac 30 e5 e1 df"
}
