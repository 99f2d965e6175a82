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
    /// nil where it is malformed: it has no part then, and is nobody's name.
    package let subject: DistinguishedName?
    /// The first and the last second in which it is valid, in seconds since 2001-01-01. A range would not do: a
    /// certificate may end before it begins.
    package let notBefore: Double
    package let notAfter: Double
    package let subjectPublicKeyInfo: SubjectPublicKeyInfo
    package let extensions: [CertificateExtension]
    /// The bytes of the BIT STRING.
    package let signature: [UInt8]
    /// Those of the extension subjectAltName; none where it is malformed and not critical.
    let alternativeNames: [GeneralName]
    /// The Names as they stand in the certificate, in DER.
    let issuerBytes: ArraySlice<UInt8>
    let subjectBytes: ArraySlice<UInt8>

    /// The bytes of the certificate that some bytes begin with; nil if they begin with something else.
    package static func first(in bytes: [UInt8]) -> [UInt8]? {
        let first = try? DERElement.first(in: bytes[...])
        return first.flatMap { CertificateContents(der: $0) == nil ? nil : $0 }
    }

    /// - Returns: nil for anything that is no certificate, whatever is wrong with it.
    package init?(der: [UInt8]) {
        try? self.init(DERElement(der[...]))
    }

    private init(_ certificate: DERElement) throws {
        var fields = try certificate.fields(of: .derSequence)
        let signed = try fields.required(.derSequence)
        // The signed part has it too, and that one counts.
        _ = try AlgorithmIdentifier(fields.required(.derSequence).node)
        let signature = try ASN1BitString(derEncoded: fields.required(.derBitString).node)
        try fields.end()
        try self.init(signed: signed, signature: Array(signature.bytes))
    }

    private init(signed: DERElement, signature: [UInt8]) throws {
        var fields = try signed.fields(of: .derSequence)
        version = try fields.optional(.derTaggedElements(0)).map(Self.version) ?? 1
        serialNumber = Array(try fields.required(.derInteger).content)
        guard !serialNumber.isEmpty else { throw Malformed() }
        signatureAlgorithm = try AlgorithmIdentifier(fields.required(.derSequence).node)
        let issuer = try fields.required(.derSequence)
        self.issuer = try DistinguishedName(issuer.node)
        issuerBytes = issuer.encodedBytes
        (notBefore, notAfter) = try DER.sequence(fields.required(.derSequence).node, identifier: .sequence) { nodes in
            guard let first = nodes.next(), let last = nodes.next() else { throw Malformed() }
            return (try first.secondsSinceReferenceDate(), try last.secondsSinceReferenceDate())
        }
        let subject = try fields.required(.derSequence)
        self.subject = try? DistinguishedName(subject.node)
        subjectBytes = subject.encodedBytes
        subjectPublicKeyInfo = try SubjectPublicKeyInfo(fields.required(.derSequence).node)
        // The unique identifiers.
        for number in 1...2 as ClosedRange<UInt8> {
            _ = try fields.optional(.derTagged(number), .derTaggedElements(number))
        }
        let all = try fields.optional(.derTaggedElements(3)).map { try CertificateExtension.list($0.node) } ?? []
        try fields.end()
        self.signature = signature
        extensions = try all.filter { element in
            do {
                try element.checkForm()
                return true
            } catch {
                guard element.isDispensable else { throw error }
                return false
            }
        }
        alternativeNames = try extensions.filter { $0.type == .subjectAlternativeName }.flatMap { element in
            do {
                return try GeneralName.list(in: element.value)
            } catch {
                guard !element.isCritical else { throw error }
                return []
            }
        }
    }

    /// The field `version`, which a certificate of version 1 has not.
    private static func version(_ field: DERElement) throws -> Int {
        var fields = try field.fields(of: .derTaggedElements(0))
        let number = try Int8(derEncoded: fields.required(.derInteger).node)
        try fields.end()
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
