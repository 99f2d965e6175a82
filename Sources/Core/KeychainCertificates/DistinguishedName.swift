import SwiftASN1

/// A name of X.509 (RFC 5280, section 4.1.2.4) in the form in which names are compared and stored.
package struct DistinguishedName: Hashable, Sendable {
    /// The content of the Name's SEQUENCE, without its tag and length, every text in canonical form: what Apple calls
    /// the normalised content.
    package let normalizedContent: [UInt8]
    /// The whole Name in that form: the content with its tag and length.
    package var normalizedSequence: [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { $0.serializeRawBytes(normalizedContent) }
        return serializer.serializedBytes
    }

    /// The values of the attribute emailAddress (PKCS #9), as they stand in the name.
    package let emailAddresses: [String]

    /// Reads a whole Name.
    ///
    /// - Returns: nil for anything else, also for a Name with something behind it.
    package init?(der: [UInt8]) {
        guard let node = try? DER.parse(der) else { return nil }
        try? self.init(node)
    }

    /// The normalised content of a whole Name; any other bytes as they are, which may be such content already.
    package static func normalizedContent(of bytes: [UInt8]) -> [UInt8] {
        DistinguishedName(der: bytes)?.normalizedContent ?? bytes
    }

    init(_ node: ASN1Node) throws {
        var serializer = DER.Serializer()
        var emailAddresses: [String] = []
        try node.forEachChild(of: .sequence) { relative in
            var parts: [[UInt8]] = []
            try relative.forEachChild(of: .set) { attribute in
                let (type, value) = try DER.sequence(attribute, identifier: .sequence) { nodes in
                    guard let type = nodes.next(), let value = nodes.next() else { throw Malformed() }
                    return (type, value)
                }
                let text = DirectoryText(value)
                if try OID(type) == .emailAddress, let text { emailAddresses.append(text.string) }
                parts.append(Self.normalized(type, value, text))
            }
            // Upper case may have another order than what was there, and DER's SET OF is ordered by its bytes.
            let ordered = parts.sorted { $0.lexicographicallyPrecedes($1) }
            serializer.appendConstructedNode(identifier: .set) { coder in
                for part in ordered { coder.serializeRawBytes(part) }
            }
        }
        normalizedContent = serializer.serializedBytes
        self.emailAddresses = emailAddresses
    }

    private static func normalized(
        _ type: ASN1Node,
        _ value: ASN1Node,
        _ text: DirectoryText?
    ) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { coder in
            coder.serialize(type)
            if let text {
                let bytes = Array(text.normalized.utf8)
                // One type for one text, whichever spelled it.
                let identifier: ASN1Identifier = bytes.allSatisfy { $0 < 0x80 } ? .printableString : .utf8String
                coder.appendPrimitiveNode(identifier: identifier) { $0.append(contentsOf: bytes) }
            } else {
                coder.serialize(value)
            }
        }
        return serializer.serializedBytes
    }

    // `emailAddresses` derives from the bytes that the normalised form has too, but for case.
    package static func == (lhs: DistinguishedName, rhs: DistinguishedName) -> Bool {
        lhs.normalizedContent == rhs.normalizedContent
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(normalizedContent)
    }
}
