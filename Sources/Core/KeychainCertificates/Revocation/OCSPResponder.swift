import SwiftASN1

/// Who signed a response about revocation (RFC 6960, section 4.2.2.3, ResponderID).
package enum OCSPResponder: Sendable, Equatable {
    /// The subject of its certificate, in DER.
    case name([UInt8])
    /// SHA-1 of its public key, without the algorithm.
    case keyHash([UInt8])

    init(_ node: ASN1Node) throws {
        guard case .constructed(let children) = node.content else { throw Malformed() }
        var iterator = children.makeIterator()
        guard let value = iterator.next(), iterator.next() == nil else { throw Malformed() }
        switch node.identifier {
        case ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific): self = .name(Array(value.encodedBytes))
        case ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific):
            self = .keyHash(Array(try ASN1OctetString(derEncoded: value).bytes))
        default: throw Malformed()
        }
    }
}

extension OCSPResponder {
    /// Whether the holder of a certificate is meant.
    package func isHolder(of certificate: CertificateContents) -> Bool {
        switch self {
        case .name(let name): name.elementsEqual(certificate.subjectBytes)
        case .keyHash(let hash): hash == certificate.publicKeyHash
        }
    }
}
