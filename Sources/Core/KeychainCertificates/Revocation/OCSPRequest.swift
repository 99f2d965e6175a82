import Crypto
import SwiftASN1

/// A question to a revocation server about one certificate (RFC 6960, section 4.1).
package struct OCSPRequest: Sendable {
    package let der: [UInt8]
    /// What the extension nonce contains, in DER: a response that has one has to have the same.
    package let nonce: [UInt8]

    /// How many random bytes a nonce has (RFC 9654, section 2.1).
    private static let nonceBytes = 32

    /// - Returns: nil where a part of it cannot be written, which does not happen.
    package init?(about certificate: CertificateContents, of issuer: CertificateContents) {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<Self.nonceBytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        var value = DER.Serializer()
        guard (try? value.serialize(ASN1OctetString(contentBytes: bytes[...]))) != nil else { return nil }
        nonce = value.serializedBytes
        guard let der = try? Self.der(about: certificate, of: issuer, nonce: nonce) else { return nil }
        self.der = der
    }

    private static func der(
        about certificate: CertificateContents,
        of issuer: CertificateContents,
        nonce: [UInt8]
    ) throws -> [UInt8] {
        // SHA-1 finds the certificate at the server's, and is what all of them know (RFC 5019, section 2.1.1).
        let identifier = try OCSPCertificateIdentifier.sha1(of: certificate, issuedBy: issuer)
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { request in
            try request.appendConstructedNode(identifier: .sequence) { signable in
                signable.appendConstructedNode(identifier: .sequence) { list in
                    list.appendConstructedNode(identifier: .sequence) { $0.serializeRawBytes(identifier) }
                }
                let tag = ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific)
                try signable.appendConstructedNode(identifier: tag) { tagged in
                    try tagged.appendConstructedNode(identifier: .sequence) { extensions in
                        try extensions.appendConstructedNode(identifier: .sequence) { nonceExtension in
                            nonceExtension.appendPrimitiveNode(identifier: .objectIdentifier) {
                                $0.append(contentsOf: OID.ocspNonce.content)
                            }
                            try nonceExtension.serialize(ASN1OctetString(contentBytes: nonce[...]))
                        }
                    }
                }
            }
        }
        return serializer.serializedBytes
    }
}
