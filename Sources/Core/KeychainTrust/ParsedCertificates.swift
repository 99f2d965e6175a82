import KeychainCertificates
import SwiftASN1

@_implementationOnly import X509

/// Certificates by their subjects, each once.
final class ParsedCertificates: Sendable {
    private let bySubject: [X509.DistinguishedName: [Certificate]]

    /// Reads certificates from DER. Bytes that are no certificate, and certificates with unsupported keys, are left
    /// out: it can neither be an anchor nor sign anything.
    init(_ certificates: [[UInt8]]) {
        var bySubject: [X509.DistinguishedName: [Certificate]] = [:]
        for bytes in Set(certificates) {
            // The verifier takes some that are no certificate by the rules for objects.
            guard CertificateContents(der: bytes) != nil, let certificate = try? Certificate(derEncoded: bytes) else {
                continue
            }
            bySubject[certificate.subject, default: []].append(certificate)
        }
        self.bySubject = bySubject
    }

    /// Those of two, each once.
    init(_ first: ParsedCertificates, and second: ParsedCertificates) {
        bySubject = first.bySubject.merging(second.bySubject) { Array(Set($0 + $1)) }
    }

    subscript(subject: X509.DistinguishedName) -> [Certificate] {
        bySubject[subject] ?? []
    }

    /// Whether this very certificate is among them.
    func contains(_ certificate: Certificate) -> Bool {
        self[certificate.subject].contains(certificate)
    }
}

extension Certificate {
    /// The DER form.
    var bytes: [UInt8] {
        var serializer = DER.Serializer()
        // A certificate that was read can be written: its signed part is kept as it came.
        guard (try? serializer.serialize(self)) != nil else { return [] }
        return serializer.serializedBytes
    }
}
