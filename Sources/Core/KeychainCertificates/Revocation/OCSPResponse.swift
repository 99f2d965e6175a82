import SwiftASN1

/// What a revocation server says of certificates (RFC 6960, section 4.2.1). Its signature is not checked here.
package struct OCSPResponse: Sendable {
    /// Longer ones are not read: a response is some kilobytes.
    package static let mostBytes = 1 << 20

    package let responder: OCSPResponder
    /// When it was signed, in seconds since 2001-01-01.
    package let producedAt: Double
    package let answers: [OCSPAnswer]
    /// Those that concern all answers.
    package let extensions: [CertificateExtension]
    /// ResponseData, which is signed, as it stands in the response.
    package let signedBytes: ArraySlice<UInt8>
    package let signatureAlgorithm: AlgorithmIdentifier
    /// The bytes of the BIT STRING.
    package let signature: ArraySlice<UInt8>
    /// The certificates that came with it, each as its DER bytes.
    package let certificates: [[UInt8]]

    /// - Returns: nil for anything that is no response, for one that is too long, and for one that says that there is no
    ///   answer (section 4.2.2.3: any other status than `successful`).
    package init?(der: [UInt8]) {
        guard der.count <= Self.mostBytes, let node = try? DER.parse(der) else { return nil }
        try? self.init(node)
    }

    private init(_ response: ASN1Node) throws {
        let basic = try DER.sequence(response, identifier: .sequence) { nodes in
            guard let status = nodes.next(), status.identifier == .enumerated,
                case .primitive(let statusBytes) = status.content, statusBytes.elementsEqual([0])
            else { throw Malformed() }
            return try DER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { bytes in
                try DER.sequence(bytes, identifier: .sequence) { nodes in
                    guard let type = nodes.next(), let value = nodes.next(), try OID(type) == .basicOCSPResponse
                    else { throw Malformed() }
                    return try ASN1OctetString(derEncoded: value).bytes
                }
            }
        }
        self = try DER.sequence(DER.parse(basic), identifier: .sequence) { nodes in
            guard let signed = nodes.next(), let algorithm = nodes.next(), let signature = nodes.next()
            else { throw Malformed() }
            let bits = try ASN1BitString(derEncoded: signature)
            guard bits.paddingBits == 0 else { throw Malformed() }
            let certificates = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                var certificates: [[UInt8]] = []
                try $0.forEachChild(of: .sequence) { certificates.append(Array($0.encodedBytes)) }
                return certificates
            }
            return try OCSPResponse(
                signed: signed,
                signatureAlgorithm: AlgorithmIdentifier(algorithm),
                signature: bits.bytes,
                certificates: certificates ?? []
            )
        }
    }

    private init(
        signed: ASN1Node,
        signatureAlgorithm: AlgorithmIdentifier,
        signature: ArraySlice<UInt8>,
        certificates: [[UInt8]]
    ) throws {
        self = try DER.sequence(signed, identifier: .sequence) { nodes in
            let version = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                try Int8(derEncoded: $0)
            }
            guard (version ?? 0) == 0, let responder = nodes.next(), let producedAt = nodes.next(),
                let responses = nodes.next()
            else { throw Malformed() }
            var answers: [OCSPAnswer] = []
            try responses.forEachChild(of: .sequence) { answers.append(try OCSPAnswer($0)) }
            return OCSPResponse(
                responder: try OCSPResponder(responder),
                producedAt: try producedAt.secondsSinceReferenceDate(),
                answers: answers,
                extensions: try nodes.next().map(OCSPAnswer.extensions) ?? [],
                signedBytes: signed.encodedBytes,
                signatureAlgorithm: signatureAlgorithm,
                signature: signature,
                certificates: certificates
            )
        }
    }

    private init(
        responder: OCSPResponder,
        producedAt: Double,
        answers: [OCSPAnswer],
        extensions: [CertificateExtension],
        signedBytes: ArraySlice<UInt8>,
        signatureAlgorithm: AlgorithmIdentifier,
        signature: ArraySlice<UInt8>,
        certificates: [[UInt8]]
    ) {
        self.responder = responder
        self.producedAt = producedAt
        self.answers = answers
        self.extensions = extensions
        self.signedBytes = signedBytes
        self.signatureAlgorithm = signatureAlgorithm
        self.signature = signature
        self.certificates = certificates
    }
}
