import SwiftASN1

/// What a response says of one certificate (RFC 6960, section 4.2.1, SingleResponse).
package struct OCSPAnswer: Sendable {
    package enum Status: Sendable {
        case good
        case revoked
        /// The server does not know the certificate.
        case unknown
    }

    package let subject: OCSPCertificateIdentifier
    package let status: Status
    /// Since when, and until when it is known to be right, in seconds since 2001-01-01. The end may be left out.
    package let thisUpdate: Double
    package let nextUpdate: Double?
    package let extensions: [CertificateExtension]

    init(_ node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { nodes in
            guard let subject = nodes.next(), let status = nodes.next(), let thisUpdate = nodes.next()
            else { throw Malformed() }
            let nextUpdate = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                try $0.secondsSinceReferenceDate()
            }
            return OCSPAnswer(
                subject: try OCSPCertificateIdentifier(subject),
                status: try Self.status(status),
                thisUpdate: try thisUpdate.secondsSinceReferenceDate(),
                nextUpdate: nextUpdate,
                extensions: try nodes.next().map(Self.extensions) ?? []
            )
        }
    }

    private init(
        subject: OCSPCertificateIdentifier,
        status: Status,
        thisUpdate: Double,
        nextUpdate: Double?,
        extensions: [CertificateExtension]
    ) {
        self.subject = subject
        self.status = status
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
        self.extensions = extensions
    }

    private static func status(_ node: ASN1Node) throws -> Status {
        switch node.identifier {
        case ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific): .good
        // When it was revoked, and why, changes nothing.
        case ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific): .revoked
        case ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific): .unknown
        default: throw Malformed()
        }
    }

    /// The field that has the number 1 both in an answer and in a response.
    static func extensions(_ node: ASN1Node) throws -> [CertificateExtension] {
        guard node.identifier == ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific) else {
            throw Malformed()
        }
        return try CertificateExtension.list(node)
    }
}
