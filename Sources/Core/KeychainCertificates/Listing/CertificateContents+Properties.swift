import Crypto
import SwiftASN1

extension CertificateContents {
    /// Everything that the certificate says, in the order of its fields.
    ///
    /// - Parameter der: the whole certificate.
    package func properties(fingerprinting der: [UInt8]) -> [CertificateProperty] {
        fields + extensions.map(\.property) + [
            CertificateProperty("Signature", .data(signature), identifier: FieldIdentifier.signature),
            CertificateProperty(
                "Fingerprints",
                .section([
                    CertificateProperty("SHA-256", .data(Array(SHA256.hash(data: der)))),
                    CertificateProperty("SHA-1", .data(Array(Insecure.SHA1.hash(data: der)))),
                ]),
                identifier: "Fingerprints"
            ),
        ]
    }

    private var fields: [CertificateProperty] {
        [
            CertificateProperty("Version", .string(String(version)), identifier: FieldIdentifier.version),
            CertificateProperty(
                "Serial Number",
                .string(serialNumber.hexadecimal.spaced),
                identifier: FieldIdentifier.serialNumber
            ),
            CertificateProperty(
                "Signature Algorithm",
                .section(signatureAlgorithm.properties),
                identifier: FieldIdentifier.signatureAlgorithm
            ),
            CertificateProperty(
                "Issuer Name",
                .section(issuerAttributes.map(\.property)),
                identifier: FieldIdentifier.issuerName
            ),
            CertificateProperty("Not Valid Before", .date(notBefore), identifier: FieldIdentifier.notBefore),
            CertificateProperty("Not Valid After", .date(notAfter), identifier: FieldIdentifier.notAfter),
            CertificateProperty(
                "Subject Name",
                .section(subjectAttributes.map(\.property)),
                identifier: FieldIdentifier.subjectName
            ),
            CertificateProperty(
                "Public Key Algorithm",
                .section(subjectPublicKeyInfo.algorithm.properties),
                identifier: FieldIdentifier.publicKeyAlgorithm
            ),
            CertificateProperty(
                "Public Key Data",
                .data(Array(subjectPublicKeyInfo.key)),
                identifier: FieldIdentifier.publicKey
            ),
        ]
    }
}

/// The identifiers of the fields of a certificate, which are the values of `kSecOIDX509V1…`.
private enum FieldIdentifier {
    static let version = "2.16.840.1.113741.2.1.1.1.2"
    static let serialNumber = "2.16.840.1.113741.2.1.1.1.3"
    static let issuerName = "2.16.840.1.113741.2.1.1.1.5"
    static let notBefore = "2.16.840.1.113741.2.1.1.1.6"
    static let notAfter = "2.16.840.1.113741.2.1.1.1.7"
    static let subjectName = "2.16.840.1.113741.2.1.1.1.8"
    static let publicKeyAlgorithm = "2.16.840.1.113741.2.1.1.1.9"
    static let publicKey = "2.16.840.1.113741.2.1.1.1.10"
    static let signatureAlgorithm = "2.16.840.1.113741.2.1.3.2.1"
    static let signature = "2.16.840.1.113741.2.1.3.2.2"
}

extension AlgorithmIdentifier {
    fileprivate var properties: [CertificateProperty] {
        let name = CertificateProperty("Algorithm", .string(algorithm.described))
        guard let parameters else { return [name] }
        // The curve of an elliptic-curve key has a name; NULL says nothing.
        if Array(parameters) == [5, 0] { return [name, CertificateProperty("Parameters", .string("none"))] }
        if let curve = try? OID(DER.parse(parameters)) {
            return [name, CertificateProperty("Parameters", .string(curve.described))]
        }
        return [name, CertificateProperty("Parameters", .data(Array(parameters)))]
    }
}

extension NameAttribute {
    /// Its label is its type, as a number: `kSecOIDCommonName` and others.
    var property: CertificateProperty {
        let label = type.description
        return text.map { CertificateProperty(label, text: $0) } ?? CertificateProperty(label, .data(Array(value)))
    }
}

extension String {
    /// With a space after every second character.
    var spaced: String {
        var result = ""
        for (index, character) in enumerated() {
            if index > 0, index.isMultiple(of: 2) { result.append(" ") }
            result.append(character)
        }
        return result
    }
}
