import SwiftASN1

/// A name of one of many kinds (RFC 5280, section 4.2.1.6).
enum GeneralName {
    case emailAddress(String)
    case dnsName(String)
    case directoryName([NameAttribute])
    case uri(String)
    /// The 4 or 16 bytes of an address, or twice as many with a mask.
    case ipAddress(ArraySlice<UInt8>)
    /// A name of another kind, in DER. Nobody has looked at what is in it.
    case other(ArraySlice<UInt8>)

    init(_ node: ASN1Node) throws {
        try self.init(DERElement(node.encodedBytes))
    }

    /// - Throws: for what is no name, or a text that is none. What is inside of names that have elements of their own
    ///   may be any bytes, as on Apple's systems.
    init(_ element: DERElement) throws {
        guard element.tag & 0xC0 == 0x80 else { throw Malformed() }
        switch (element.tag & 0x1F, element.hasElements) {
        case (1, false): self = .emailAddress(try Self.text(element.content))
        case (2, false): self = .dnsName(try Self.text(element.content))
        case (6, false): self = .uri(try Self.text(element.content))
        case (7, false): self = .ipAddress(element.content)
        case (4, true): self = Self.directoryName(element)
        // otherName, x400Address, ediPartyName, and a URI in pieces.
        case (0, true), (3, true), (5, true), (6, true): self = .other(element.encodedBytes)
        default: self = .other(try element.node.encodedBytes)
        }
    }

    /// The content is a Name with its own tag.
    private static func directoryName(_ element: DERElement) -> GeneralName {
        guard let name = try? DERElement(element.content), let parts = try? NameAttribute.list(name.node) else {
            return .other(element.encodedBytes)
        }
        return .directoryName(parts)
    }

    /// - Parameter content: what an extension contains, a sequence of names.
    static func list(in content: ArraySlice<UInt8>) throws -> [GeneralName] {
        var names: [GeneralName] = []
        var fields = try DERElement(content).fields(of: .derSequence)
        while let element = try fields.next() { names.append(try GeneralName(element)) }
        return names
    }

    /// It ought to be ASCII.
    private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return text
    }

    var emailAddress: String? {
        if case .emailAddress(let address) = self { address } else { nil }
    }

    var dnsName: String? {
        if case .dnsName(let name) = self { name } else { nil }
    }

    var ipAddress: ArraySlice<UInt8>? {
        if case .ipAddress(let bytes) = self { bytes } else { nil }
    }
}
