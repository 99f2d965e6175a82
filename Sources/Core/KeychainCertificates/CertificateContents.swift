import Crypto
import SwiftASN1

/// What a certificate says of itself (RFC 5280, section 4.1). Its signature is not looked at: who signed a certificate says
/// nothing about whether it is the one that is searched for. Algorithms and keys may be of any kind.
package struct CertificateContents: Sendable {
    /// 1, 2 or 3.
    package let version: Int
    /// The content of the INTEGER, a leading zero included; at least one byte.
    package let serialNumber: [UInt8]
    /// What the certificate is signed with, as the signed part has it.
    package let signatureAlgorithm: AlgorithmIdentifier
    package let issuer: DistinguishedName
    package let subject: DistinguishedName
    /// The first and the last second in which it is valid, in seconds since 2001-01-01. A range would not do: a
    /// certificate may end before it begins.
    package let notBefore: Double
    package let notAfter: Double
    package let subjectPublicKeyInfo: SubjectPublicKeyInfo
    package let extensions: [CertificateExtension]
    /// The bytes of the BIT STRING.
    package let signature: [UInt8]
    /// Those of the subject, and the rfc822Names of the extension subjectAltName.
    package let emailAddresses: [String]
    /// The Names as they stand in the certificate, in DER.
    private let issuerBytes: ArraySlice<UInt8>
    private let subjectBytes: ArraySlice<UInt8>

    /// - Returns: nil for anything that is no certificate, whatever is wrong with it.
    package init?(der: [UInt8]) {
        guard let node = try? DER.parse(der) else { return nil }
        try? self.init(node)
    }

    private init(_ certificate: ASN1Node) throws {
        self = try DER.sequence(certificate, identifier: .sequence) { nodes in
            guard let signed = nodes.next(), let algorithm = nodes.next(), let signature = nodes.next(),
                algorithm.identifier == .sequence
            else { throw Malformed() }
            return try CertificateContents(signed: signed, signature: ASN1BitString(derEncoded: signature))
        }
    }

    private init(signed: ASN1Node, signature: ASN1BitString) throws {
        self = try DER.sequence(signed, identifier: .sequence) { nodes in
            let version = try Self.version(&nodes)
            guard let serialNumber = nodes.next(), let algorithm = nodes.next(), let issuer = nodes.next(),
                let validity = nodes.next(), let subject = nodes.next(), let publicKey = nodes.next(),
                serialNumber.identifier == .integer, case .primitive(let serialBytes) = serialNumber.content,
                !serialBytes.isEmpty
            else { throw Malformed() }
            var extensions: [CertificateExtension] = []
            // The unique identifiers, then the extensions.
            while let node = nodes.next() {
                guard node.identifier == ASN1Identifier(tagWithNumber: 3, tagClass: .contextSpecific) else { continue }
                extensions += try CertificateExtension.list(node)
            }
            return try CertificateContents(
                version: version,
                serialNumber: Array(serialBytes),
                signatureAlgorithm: AlgorithmIdentifier(algorithm),
                issuer: issuer,
                validity: validity,
                subject: subject,
                subjectPublicKeyInfo: SubjectPublicKeyInfo(publicKey),
                extensions: extensions,
                signature: Array(signature.bytes)
            )
        }
    }

    private init(
        version: Int,
        serialNumber: [UInt8],
        signatureAlgorithm: AlgorithmIdentifier,
        issuer: ASN1Node,
        validity: ASN1Node,
        subject: ASN1Node,
        subjectPublicKeyInfo: SubjectPublicKeyInfo,
        extensions: [CertificateExtension],
        signature: [UInt8]
    ) throws {
        self.version = version
        self.serialNumber = serialNumber
        self.signatureAlgorithm = signatureAlgorithm
        self.issuer = try DistinguishedName(issuer)
        self.subject = try DistinguishedName(subject)
        issuerBytes = issuer.encodedBytes
        subjectBytes = subject.encodedBytes
        (notBefore, notAfter) = try DER.sequence(validity, identifier: .sequence) { nodes in
            guard let first = nodes.next(), let last = nodes.next() else { throw Malformed() }
            return (try first.secondsSinceReferenceDate(), try last.secondsSinceReferenceDate())
        }
        self.subjectPublicKeyInfo = subjectPublicKeyInfo
        self.extensions = extensions
        self.signature = signature
        var emailAddresses = self.subject.emailAddresses
        for element in extensions where element.type == .subjectAlternativeName {
            emailAddresses += try GeneralName.list(in: element.value).compactMap(\.emailAddress)
        }
        self.emailAddresses = emailAddresses
    }

    /// The field `version`, which a certificate of version 1 has not.
    private static func version(_ nodes: inout ASN1NodeCollection.Iterator) throws -> Int {
        let number = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
            try Int8(derEncoded: node)
        }
        guard let number else { return 1 }
        guard (0...2).contains(number) else { throw Malformed() }
        return Int(number) + 1
    }

    /// Whether an instant, in seconds since 2001-01-01, lies within the validity. The last second counts as a whole,
    /// as the field has no fractions.
    package func isValid(at seconds: Double) -> Bool {
        notBefore <= seconds && seconds < notAfter + 1
    }

    /// Whether the certificate has this e-mail address, in upper or lower case.
    package func belongs(to emailAddress: String) -> Bool {
        let wanted = emailAddress.lowercased()
        return emailAddresses.contains { $0.lowercased() == wanted }
    }
}

extension CertificateContents {
    /// The parts of the issuer's name.
    package var issuerAttributes: [NameAttribute] { NameAttribute.list(inName: issuerBytes) }

    /// The parts of the subject's name.
    package var subjectAttributes: [NameAttribute] { NameAttribute.list(inName: subjectBytes) }

    /// The content of the extension subjectKeyIdentifier; nil where there is none that is well formed.
    package var subjectKeyIdentifier: [UInt8]? {
        value(of: .subjectKeyIdentifier).flatMap { value in
            (try? ASN1OctetString(derEncoded: Array(value))).map { Array($0.bytes) }
        }
    }

    /// SHA-1 of the public key, without the algorithm: the application label of the keys that belong to it.
    package var publicKeyHash: [UInt8] {
        Array(Insecure.SHA1.hash(data: subjectPublicKeyInfo.key))
    }

    /// What the first extension of a type contains.
    func value(of type: OID) -> ArraySlice<UInt8>? {
        extensions.first { $0.type == type }?.value
    }
}
