import SwiftASN1

/// The extension subjectAltName (RFC 5280, section 4.2.1.6).
enum SubjectAlternativeName {
    private static let type: ASN1ObjectIdentifier = [2, 5, 29, 17]
    private static let rfc822Name = ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific)

    /// - Parameter node: the tagged field `extensions` of a certificate.
    static func emailAddresses(inExtensions node: ASN1Node) throws -> [String] {
        var addresses: [String] = []
        try node.forEachChild(of: node.identifier) { extensions in
            try extensions.forEachChild(of: .sequence) { element in
                try DER.sequence(element, identifier: .sequence) { nodes in
                    let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
                    // Between the two stands whether the extension is critical; some spell out that it is not.
                    var value: ASN1Node?
                    while let next = nodes.next() { value = next }
                    guard let value else { throw Malformed() }
                    let content = try ASN1OctetString(derEncoded: value).bytes
                    if type == Self.type { addresses += try emailAddresses(in: content) }
                }
            }
        }
        return addresses
    }

    private static func emailAddresses(in content: ArraySlice<UInt8>) throws -> [String] {
        var addresses: [String] = []
        try DER.parse(content).forEachChild(of: .sequence) { name in
            guard name.identifier == rfc822Name else { return }
            guard case .primitive(let bytes) = name.content, let address = String(validating: bytes, as: UTF8.self)
            else { throw Malformed() }
            addresses.append(address)
        }
        return addresses
    }
}
