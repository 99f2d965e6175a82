import KeychainModel
import Testing

@testable import KeychainVault

@Suite("The plaintext of a secret")
struct SecretCodecTests {
    private static let digest = [UInt8](1...20)

    private func decode(_ bytes: [UInt8]) -> OpenedSecrets? {
        SecretCodec.decode(SecretBytes(bytes))
    }

    private func encode(_ secrets: [AttributeKey: [UInt8]]) -> [UInt8] {
        SecretCodec.encode(sha1: Self.digest, secrets.mapValues { SecretBytes($0) }).withUnsafeBytes { Array($0) }
    }

    /// A plaintext with any contents, padded as it has to be.
    private func plaintext(version: UInt8 = 1, length: Int? = nil, _ body: [UInt8], padding: UInt8 = 0) -> [UInt8] {
        let count = length ?? body.count
        var bytes = [version] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + body
        while bytes.count % 32 != 0 { bytes.append(padding) }
        return bytes
    }

    private static func entry(_ key: String, _ value: [UInt8]) -> [UInt8] {
        Array(key.utf8) + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value.count >> $0) } + value
    }

    @Test(arguments: [0, 1, 31, 32, 33, 4096])
    func `a value of any length comes back`(length: Int) throws {
        let value = [UInt8](repeating: 7, count: length)
        let opened = try #require(decode(encode(["data": value, "binn": [1, 2]])))
        #expect(opened.sha1 == Self.digest)
        #expect(opened.values.count == 2)
        #expect(opened.values["data"]?.withUnsafeBytes { Array($0) } == value)
        #expect(opened.values["binn"]?.withUnsafeBytes { Array($0) } == [1, 2])
    }

    @Test func `the bytes are those of the format's page`() {
        #expect(encode(["data": [0xAA]]) == plaintext(Self.digest + Self.entry("data", [0xAA])))
        #expect(encode(["data": [0xAA]]).count == 64)
        #expect(encode([:]) == plaintext(Self.digest))
    }

    @Test func `passwords of one to thirty-one bytes cannot be told by their length`() {
        let sizes = Set((1...31).map { encode(["data": [UInt8](repeating: 1, count: $0)]).count })
        #expect(sizes == [64])
    }

    @Test func `another version is refused`() {
        #expect(decode(plaintext(Self.digest)) != nil)
        #expect(decode(plaintext(version: 2, Self.digest)) == nil)
    }

    @Test func `a length beyond the end or within the digest is refused`() {
        for length in [0, 19, 28, 1000, 0xFFFF_FFFF] {
            #expect(decode(plaintext(length: length, Self.digest)) == nil)
        }
    }

    @Test func `padding other than zeroes is refused`() {
        #expect(decode(plaintext(Self.digest, padding: 1)) == nil)
    }

    @Test func `more padding than is needed is refused`() {
        #expect(decode(plaintext(Self.digest) + [UInt8](repeating: 0, count: 32)) == nil)
    }

    @Test func `keys out of order or there twice are refused`() {
        let (first, second) = (Self.entry("binn", [1]), Self.entry("data", [2]))
        #expect(decode(plaintext(Self.digest + first + second)) != nil)
        #expect(decode(plaintext(Self.digest + second + first)) == nil)
        #expect(decode(plaintext(Self.digest + second + second)) == nil)
    }

    @Test func `a value that is cut off is refused`() {
        #expect(decode(plaintext(Self.digest + Self.entry("data", [1, 2, 3]).dropLast())) == nil)
        #expect(decode(plaintext(Self.digest + [0x64])) == nil)
    }

    @Test func `no beginning of a plaintext is a plaintext`() {
        let bytes = encode(["data": [1, 2, 3]])
        for count in 0..<bytes.count { #expect(decode(Array(bytes.prefix(count))) == nil) }
    }

    @Test func `what decodes encodes to the same bytes, whatever single byte is changed`() {
        let bytes = encode(["data": [1, 2, 3], "binn": [4]])
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                guard let opened = decode(changed) else { continue }
                let again = SecretCodec.encode(sha1: opened.sha1, opened.values).withUnsafeBytes { Array($0) }
                #expect(again == changed)
            }
        }
    }
}
