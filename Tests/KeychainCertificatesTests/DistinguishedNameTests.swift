import KeychainCertificates
import SwiftASN1
import Testing

@Suite("Names of X.509")
struct DistinguishedNameTests {
    private static let commonName: ASN1ObjectIdentifier = [2, 5, 4, 3]

    /// A Name of one common name.
    private func name(_ bytes: [UInt8], _ type: ASN1Identifier) throws -> [UInt8] {
        try name([[(Self.commonName, type, bytes)]])
    }

    private func name(_ parts: [[(ASN1ObjectIdentifier, ASN1Identifier, [UInt8])]]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { name in
            for part in parts {
                try name.appendConstructedNode(identifier: .set) { relative in
                    for (type, identifier, bytes) in part {
                        try relative.appendConstructedNode(identifier: .sequence) { attribute in
                            try attribute.serialize(type)
                            attribute.appendPrimitiveNode(identifier: identifier) { $0.append(contentsOf: bytes) }
                        }
                    }
                }
            }
        }
        return serializer.serializedBytes
    }

    private func normalized(_ der: [UInt8]) throws -> [UInt8] {
        try #require(DistinguishedName(der: der)).normalizedContent
    }

    @Test
    func `the normalised content is what stands in the sequence, in upper case, as a PrintableString`() throws {
        let expected: [UInt8] = [0x31, 13, 0x30, 11, 0x06, 3, 0x55, 4, 3, 0x13, 4] + Array("A CA".utf8)
        try #expect(normalized(name(Array("a ca".utf8), .utf8String)) == expected)
    }

    @Test
    func `blanks at the ends go and several between words become one`() throws {
        let expected = try normalized(name(Array("A CA".utf8), .printableString))
        for text in [" a ca", "a ca ", "\t a \n\r ca  "] {
            try #expect(normalized(name(Array(text.utf8), .utf8String)) == expected, "\(text)")
        }
        for text in ["aca", "a c a", "a-ca"] {
            try #expect(normalized(name(Array(text.utf8), .utf8String)) != expected, "\(text)")
        }
    }

    @Test
    func `every type of text spells the same name`() throws {
        let expected = try normalized(name(Array("CA".utf8), .printableString))
        for type in [ASN1Identifier.utf8String, .ia5String, .teletexString, .visibleString] {
            try #expect(normalized(name(Array("ca".utf8), type)) == expected, "\(type)")
        }
        try #expect(normalized(name([0, 0x63, 0, 0x61], .bmpString)) == expected)
        try #expect(normalized(name([0, 0, 0, 0x63, 0, 0, 0, 0x61], .universalString)) == expected)
    }

    @Test
    func `letters outside ASCII keep their case`() throws {
        let expected = try normalized(name(Array("\u{E9}A".utf8), .utf8String))
        try #expect(normalized(name([0xE9, 0x61], .teletexString)) == expected)
        try #expect(normalized(name([0, 0xE9, 0, 0x61], .bmpString)) == expected)
        try #expect(normalized(name(Array("\u{C9}a".utf8), .utf8String)) != expected)
    }

    @Test
    func `a value that is no text stays, byte for byte`() throws {
        let values: [(ASN1Identifier, [UInt8])] = [
            (.octetString, Array("abc".utf8)), (.utf8String, [0x61, 0xFF]), (.bmpString, [0, 0x61, 0]),
            (.bmpString, [0xD8, 0]), (.universalString, [0, 0x11, 0, 0]), (.printableString, [0xE9]),
        ]
        for (type, bytes) in values {
            let der = try name(bytes, type)
            try #expect(normalized(der) == Array(der.dropFirst(2)), "\(type)")
        }
    }

    @Test
    func `the order of the values of one part does not count, that of the parts does`() throws {
        let organization: ASN1ObjectIdentifier = [2, 5, 4, 10]
        let first = (Self.commonName, ASN1Identifier.utf8String, Array("a".utf8))
        let second = (organization, ASN1Identifier.utf8String, Array("b".utf8))
        try #expect(normalized(name([[first, second]])) == normalized(name([[second, first]])))
        try #expect(normalized(name([[first], [second]])) != normalized(name([[second], [first]])))
    }

    @Test
    func `normalising twice is normalising once`() throws {
        let once = try normalized(name(Array(" a  ca ".utf8), .ia5String))
        let again = try normalized([0x30, UInt8(once.count)] + once)
        #expect(again == once)
        #expect(DistinguishedName.normalizedContent(of: once) == once)
    }

    @Test
    func `bytes that are no whole name are none`() throws {
        let whole = try name(Array("ca".utf8), .utf8String)
        for length in whole.indices { #expect(DistinguishedName(der: Array(whole.prefix(length))) == nil) }
        #expect(DistinguishedName(der: whole + [0]) == nil)
        #expect(DistinguishedName(der: [0x30, 2, 0x31, 0]) != nil)
        #expect(DistinguishedName(der: [0x30, 2, 0x30, 0]) == nil)
        #expect(DistinguishedName(der: [0x30, 4, 0x31, 2, 0x30, 0]) == nil)
        #expect(DistinguishedName(der: Array(repeating: 0x30, count: 100_000)) == nil)
    }
}
