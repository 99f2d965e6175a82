package import SwiftASN1

/// An extension of a certificate (RFC 5280, section 4.2), known or not.
package struct CertificateExtension: Sendable {
    package let type: OID
    package let isCritical: Bool
    /// The content of the OCTET STRING, which is again DER.
    package let value: ArraySlice<UInt8>

    private init(_ node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { nodes in
            guard let type = nodes.next(), var next = nodes.next() else { throw Malformed() }
            var isCritical = false
            // Left out where it is false; some spell it out.
            if next.identifier == .boolean {
                isCritical = try Bool(derEncoded: next)
                guard let value = nodes.next() else { throw Malformed() }
                next = value
            }
            return CertificateExtension(
                type: try OID(type),
                isCritical: isCritical,
                value: try ASN1OctetString(derEncoded: next).bytes
            )
        }
    }

    private init(type: OID, isCritical: Bool, value: ArraySlice<UInt8>) {
        self.type = type
        self.isCritical = isCritical
        self.value = value
    }

    /// - Parameter node: the tagged field `extensions` of a certificate, or the SET that has a request's.
    /// - Throws: for anything else.
    package static func list(_ node: ASN1Node) throws -> [CertificateExtension] {
        var list: [CertificateExtension] = []
        try node.forEachChild(of: node.identifier) { extensions in
            try extensions.forEachChild(of: .sequence) { list.append(try CertificateExtension($0)) }
        }
        return list
    }
}
