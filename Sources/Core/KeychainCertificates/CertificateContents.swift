import SwiftASN1

/// What a certificate says of itself (RFC 5280, section 4.1), as far as items are found by it. Its signature is not
/// looked at: who signed a certificate says nothing about whether it is the one that is searched for.
package struct CertificateContents: Sendable {
    package let issuer: DistinguishedName
    package let subject: DistinguishedName
    /// The first and the last second in which it is valid, in seconds since 2001-01-01. A range would not do: a
    /// certificate may end before it begins.
    package let notBefore: Double
    package let notAfter: Double
    /// Those of the subject, and the rfc822Names of the extension subjectAltName.
    package let emailAddresses: [String]

    /// - Returns: nil for anything that is no certificate, whatever is wrong with it.
    package init?(der: [UInt8]) {
        guard let node = try? DER.parse(der) else { return nil }
        try? self.init(node)
    }

    private init(_ certificate: ASN1Node) throws {
        self = try DER.sequence(certificate, identifier: .sequence) { nodes in
            guard let signed = nodes.next(), let algorithm = nodes.next(), let signature = nodes.next(),
                algorithm.identifier == .sequence, signature.identifier == .bitString
            else { throw Malformed() }
            return try CertificateContents(signed: signed)
        }
    }

    private init(signed: ASN1Node) throws {
        self = try DER.sequence(signed, identifier: .sequence) { nodes in
            _ = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { $0 }
            guard let serialNumber = nodes.next(), let algorithm = nodes.next(), let issuer = nodes.next(),
                let validity = nodes.next(), let subject = nodes.next(), let publicKey = nodes.next(),
                serialNumber.identifier == .integer, algorithm.identifier == .sequence,
                publicKey.identifier == .sequence
            else { throw Malformed() }
            var alternativeNames: [String] = []
            // The unique identifiers, then the extensions.
            while let node = nodes.next() {
                guard node.identifier == ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific) else { continue }
                alternativeNames += try SubjectAlternativeName.emailAddresses(inExtensions: node)
            }
            return try CertificateContents(
                issuer: DistinguishedName(issuer),
                subject: DistinguishedName(subject),
                validity: validity,
                alternativeNames: alternativeNames
            )
        }
    }

    private init(
        issuer: DistinguishedName,
        subject: DistinguishedName,
        validity: ASN1Node,
        alternativeNames: [String]
    ) throws {
        self.issuer = issuer
        self.subject = subject
        (notBefore, notAfter) = try DER.sequence(validity, identifier: .sequence) { nodes in
            guard let first = nodes.next(), let last = nodes.next() else { throw Malformed() }
            return (try first.secondsSinceReferenceDate(), try last.secondsSinceReferenceDate())
        }
        emailAddresses = subject.emailAddresses + alternativeNames
    }

    /// Whether an instant, in seconds since 2001-01-01, lies within the validity. The last second counts as a whole,
    /// as the field has no fractions.
    package func isValid(at seconds: Double) -> Bool {
        notBefore <= seconds && seconds < notAfter + 1
    }

    /// Whether the certificate has no e-mail address or this one, in whatever case.
    package func mayBelong(to emailAddress: String) -> Bool {
        let wanted = emailAddress.lowercased()
        return emailAddresses.isEmpty || emailAddresses.contains { $0.lowercased() == wanted }
    }
}
