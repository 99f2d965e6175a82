import SwiftASN1

/// An algorithm and what it needs to know (RFC 5280, section 4.1.1.2), known or not.
package struct AlgorithmIdentifier: Sendable {
    package let algorithm: OID
    /// The parameters in DER; nil where there are none.
    package let parameters: ArraySlice<UInt8>?

    init(_ node: ASN1Node) throws {
        (algorithm, parameters) = try DER.sequence(node, identifier: .sequence) { nodes in
            guard let algorithm = nodes.next() else { throw Malformed() }
            return (try OID(algorithm), nodes.next()?.encodedBytes)
        }
    }
}
