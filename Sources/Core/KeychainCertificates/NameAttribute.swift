package import SwiftASN1

/// One part of a name (RFC 5280, section 4.1.2.4), such as its common name.
package struct NameAttribute: Sendable {
    package let type: OID
    /// The value as it stands in the name; nil where it is of no type of text, or is no text in its own encoding.
    package let text: String?
    /// The value in DER.
    package let value: ArraySlice<UInt8>

    /// The parts of a whole Name, in their order; none of anything else.
    static func list(inName bytes: ArraySlice<UInt8>) -> [NameAttribute] {
        (try? list(DER.parse(bytes))) ?? []
    }

    /// The parts of a whole Name.
    ///
    /// - Throws: for anything else.
    package static func list(_ node: ASN1Node) throws -> [NameAttribute] {
        var list: [NameAttribute] = []
        try node.forEachChild(of: .sequence) { relative in
            try relative.forEachChild(of: .set) { attribute in
                try attribute.with { type, value in
                    list.append(
                        NameAttribute(
                            type: try OID(type),
                            text: DirectoryText(value)?.string,
                            value: value.encodedBytes
                        )
                    )
                }
            }
        }
        return list
    }
}

extension ASN1Node {
    /// Gives the body the two children of a sequence.
    fileprivate func with(_ body: (ASN1Node, ASN1Node) throws -> Void) throws {
        try DER.sequence(self, identifier: .sequence) { nodes in
            guard let first = nodes.next(), let second = nodes.next() else { throw Malformed() }
            try body(first, second)
        }
    }
}
