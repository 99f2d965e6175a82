import CoreFoundationAliases
import Crypto
import Foundation
import KeychainCertificates
import KeychainExchange
import Security
import Terminal

/// What commands print of certificates.
struct CertificateText {
    let der: Data

    var sha1: String { Hexadecimal.uppercase(Insecure.SHA1.hash(data: der)) }
    var sha256: String { Hexadecimal.uppercase(SHA256.hash(data: der)) }

    var pem: String { String(decoding: PEM.encode(.certificate, Array(der)), as: UTF8.self) }

    var certificate: SecCertificate? { SecCertificateCreateWithData(nil, der as CFData) }

    /// The name that people see, without what a terminal would obey.
    var summary: String {
        let name = certificate.flatMap { SecCertificateCopySubjectSummary($0) }.map(String.init(describing:)) ?? ""
        return TerminalText.escaped(name)
    }

    /// What an item of the certificate would have, by Apple's four-letter names.
    var attributes: [String: Any] {
        guard let contents = CertificateContents(der: Array(der)) else { return [:] }
        var attributes: [String: Any] = [
            "ctyp": contents.version, "cenc": 3, "issr": Data(contents.issuer.normalizedContent),
            "slnr": Data(contents.serialNumber), "pkhh": Data(contents.publicKeyHash),
        ]
        attributes["subj"] = contents.subject.map { Data($0.normalizedContent) }
        attributes["skid"] = contents.subjectKeyIdentifier.map { Data($0) }
        attributes["labl"] = contents.summary
        return attributes
    }

    var emailAddresses: [String] {
        guard let certificate else { return [] }
        var addresses: CFArray?
        guard unsafe SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess else { return [] }
        return (addresses ?? []).compactMap { $0 as? String }
    }
}

extension SecCertificate {
    var text: CertificateText { CertificateText(der: SecCertificateCopyData(self) as Data) }
}
