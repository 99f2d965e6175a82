import SwiftASN1

/// A name of one of many kinds (RFC 5280, section 4.2.1.6).
enum GeneralName {
    case emailAddress(String)
    case dnsName(String)
    case directoryName([NameAttribute])
    case uri(String)
    /// The 4 or 16 bytes of an address, or twice as many with a mask.
    case ipAddress(ArraySlice<UInt8>)
    /// A name of another kind, in DER.
    case other(ArraySlice<UInt8>)

    init(_ node: ASN1Node) throws {
        guard node.identifier.tagClass == .contextSpecific else { throw Malformed() }
        switch (node.identifier.tagNumber, node.content) {
        case (1, .primitive(let bytes)): self = .emailAddress(try Self.text(bytes))
        case (2, .primitive(let bytes)): self = .dnsName(try Self.text(bytes))
        case (4, .constructed(let nodes)):
            var iterator = nodes.makeIterator()
            guard let name = iterator.next() else { throw Malformed() }
            self = .directoryName(try NameAttribute.list(name))
        case (6, .primitive(let bytes)): self = .uri(try Self.text(bytes))
        case (7, .primitive(let bytes)): self = .ipAddress(bytes)
        default: self = .other(node.encodedBytes)
        }
    }

    /// - Parameter content: what an extension contains, a sequence of names.
    static func list(in content: ArraySlice<UInt8>) throws -> [GeneralName] {
        var names: [GeneralName] = []
        try DER.parse(content).forEachChild(of: .sequence) { names.append(try GeneralName($0)) }
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
}
