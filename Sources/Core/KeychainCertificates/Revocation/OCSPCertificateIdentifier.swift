import Crypto
import SwiftASN1

/// Which certificate an answer is about (RFC 6960, section 4.1.1, CertID).
package struct OCSPCertificateIdentifier: Sendable {
    private let hashAlgorithm: OID
    private let issuerNameHash: ArraySlice<UInt8>
    private let issuerKeyHash: ArraySlice<UInt8>
    /// The content of the INTEGER.
    private let serialNumber: ArraySlice<UInt8>

    init(_ node: ASN1Node) throws {
        (hashAlgorithm, issuerNameHash, issuerKeyHash, serialNumber) =
            try DER.sequence(node, identifier: .sequence) { nodes in
                guard let algorithm = nodes.next(), let name = nodes.next(), let key = nodes.next(),
                    let serial = nodes.next(), serial.identifier == .integer,
                    case .primitive(let serialBytes) = serial.content
                else { throw Malformed() }
                return (
                    try AlgorithmIdentifier(algorithm).algorithm, try ASN1OctetString(derEncoded: name).bytes,
                    try ASN1OctetString(derEncoded: key).bytes, serialBytes
                )
            }
    }

    /// The identifier of a certificate in DER, with SHA-1.
    static func sha1(of certificate: CertificateContents, issuedBy issuer: CertificateContents) throws -> [UInt8] {
        let name = Array(Insecure.SHA1.hash(data: certificate.issuerBytes))
        let key = Array(Insecure.SHA1.hash(data: issuer.subjectPublicKeyInfo.key))
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { identifier in
            try identifier.appendConstructedNode(identifier: .sequence) { algorithm in
                algorithm.appendPrimitiveNode(identifier: .objectIdentifier) {
                    $0.append(contentsOf: OID.hashSHA1.content)
                }
                try algorithm.serialize(ASN1Null())
            }
            try identifier.serialize(ASN1OctetString(contentBytes: name[...]))
            try identifier.serialize(ASN1OctetString(contentBytes: key[...]))
            identifier.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: certificate.serialNumber) }
        }
        return serializer.serializedBytes
    }

    /// Whether it is this certificate of this issuer's. SHA-1 finds a certificate here and protects nothing: the answer's
    /// signature does.
    package func identifies(_ certificate: CertificateContents, of issuer: CertificateContents) -> Bool {
        let name = certificate.issuerBytes
        let key = issuer.subjectPublicKeyInfo.key
        guard serialNumber.elementsEqual(certificate.serialNumber) else { return false }
        switch hashAlgorithm {
        case .hashSHA1:
            return issuerNameHash.elementsEqual(Insecure.SHA1.hash(data: name))
                && issuerKeyHash.elementsEqual(Insecure.SHA1.hash(data: key))
        case .hashSHA256:
            return issuerNameHash.elementsEqual(SHA256.hash(data: name))
                && issuerKeyHash.elementsEqual(SHA256.hash(data: key))
        default: return false
        }
    }
}

extension OID {
    /// RFC 3279, section 2.2.1.
    fileprivate static let hashSHA1 = OID([1, 3, 14, 3, 2, 26])
    /// RFC 5754, section 2.2.
    fileprivate static let hashSHA256 = OID([2, 16, 840, 1, 101, 3, 4, 2, 1])
}
