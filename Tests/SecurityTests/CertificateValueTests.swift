import Foundation
import KeychainTestSupport
import Security
import Testing

@Suite("The listing of a certificate")
struct CertificateValueTests {
    private static let extensions = [
        "basicConstraints=critical,CA:TRUE,pathlen:3", "keyUsage=critical,keyCertSign,cRLSign",
        "extendedKeyUsage=serverAuth,1.2.3.4",
        "subjectAltName=DNS:example.com,email:a@example.com,URI:https://example.com/x,IP:10.0.0.1",
        "authorityInfoAccess=OCSP;URI:http://ocsp.example.com", "crlDistributionPoints=URI:http://example.com/crl",
        "certificatePolicies=2.5.29.32.0", "1.2.3.4=DER:0500",
    ]

    private func data() throws -> Data {
        try OpenSSL.certificate(
            "/C=SE/O=Company/CN=Alice",
            ["-set_serial", "0x1234", "-days", "10"] + Self.extensions.flatMap { ["-addext", $0] }
        )
    }

    private func values(_ data: Data, _ keys: [CFString]? = nil) throws -> [String: [String: Any]] {
        let certificate = try #require(SecCertificateCreateWithData(nil, data as CFData))
        let values = SecCertificateCopyValues(certificate, keys.map { $0 as CFArray }, nil)
        return try #require(values as? [String: [String: Any]])
    }

    /// The labels and texts of a section.
    private func section(_ property: [String: Any]?) throws -> [String] {
        #expect(property?["type"] as? String == "section")
        let parts = try #require(property?["value"] as? [[String: Any]])
        return try parts.map { part in
            let value = try #require(part["value"])
            let text: String
            switch part["type"] as? String {
            case "string": text = try #require(value as? String)
            case "data": text = try #require(value as? Data).map { String(format: "%02X", $0) }.joined()
            case "url": text = try #require(value as? URL).absoluteString
            default: text = "?"
            }
            return "\(try #require(part["label"] as? String))=\(text)"
        }
    }

    @Test
    func `every field is there with its type, labels and value`() throws {
        let data = try data()
        let values = try values(data)
        #expect(values[kSecOIDX509V1Version as String]?["value"] as? String == "3")
        #expect(values[kSecOIDX509V1SerialNumber as String]?["value"] as? String == "12 34")
        let subject = try section(values[kSecOIDX509V1SubjectName as String])
        #expect(subject == ["2.5.4.6=SE", "2.5.4.10=Company", "2.5.4.3=Alice"])
        try #expect(section(values[kSecOIDX509V1IssuerName as String]) == subject)
        let algorithm = try section(values[kSecOIDX509V1SignatureAlgorithm as String])
        #expect(algorithm == ["Algorithm=ECDSA Signature with SHA-256 (1.2.840.10045.4.3.2)"])
        let keyAlgorithm = try section(values[kSecOIDX509V1SubjectPublicKeyAlgorithm as String])
        #expect(keyAlgorithm.last == "Parameters=P-256 (1.2.840.10045.3.1.7)")
        #expect(try values[kSecOIDX509V1SubjectPublicKey as String]?["value"] as? Data == OpenSSL.publicKey(of: data))
        #expect((values[kSecOIDX509V1Signature as String]?["value"] as? Data)?.isEmpty == false)
        for property in values.values {
            #expect(Set(property.keys) == ["type", "label", "localized label", "value"])
        }
    }

    @Test
    func `the dates of the validity are numbers of seconds`() throws {
        let values = try values(data())
        let before = try #require(values[kSecOIDX509V1ValidityNotBefore as String])
        let after = try #require(values[kSecOIDX509V1ValidityNotAfter as String])
        #expect(before["type"] as? String == kSecPropertyTypeNumber as String)
        let first = try #require(before["value"] as? Double)
        let last = try #require(after["value"] as? Double)
        #expect(last - first == 10 * 86_400)
        #expect(abs(first - Date().timeIntervalSinceReferenceDate) < 600)
    }

    @Test
    func `every known extension is spelled out, and an unknown one is bytes`() throws {
        let data = try data()
        let values = try values(data)
        func lines(_ key: CFString) throws -> [String] { try section(values[key as String]) }
        try #expect(
            lines(kSecOIDBasicConstraints) == ["Critical=Yes", "Certificate Authority=Yes", "Path Length Constraint=3"]
        )
        try #expect(lines(kSecOIDKeyUsage) == ["Critical=Yes", "Usage=Key Cert Sign, CRL Sign"])
        try #expect(
            lines(kSecOIDExtendedKeyUsage)
                == ["Critical=No", "Purpose=Server Authentication (1.3.6.1.5.5.7.3.1)", "Purpose=1.2.3.4"]
        )
        try #expect(
            lines(kSecOIDSubjectAltName) == [
                "Critical=No", "DNS Name=example.com", "Email Address=a@example.com", "URI=https://example.com/x",
                "IP Address=10.0.0.1",
            ]
        )
        try #expect(
            lines(kSecOIDAuthorityInfoAccess) == [
                "Critical=No", "Method=Online Certificate Status Protocol (1.3.6.1.5.5.7.48.1)",
                "URI=http://ocsp.example.com",
            ]
        )
        try #expect(lines(kSecOIDCrlDistributionPoints) == ["Critical=No", "URI=http://example.com/crl"])
        try #expect(lines(kSecOIDCertificatePolicies) == ["Critical=No", "Policy ID=Any Policy (2.5.29.32.0)"])
        try #expect(lines("1.2.3.4" as CFString) == ["Critical=No", "Data=0500"])
        let printed = try OpenSSL.print(data, ["-ext", "subjectKeyIdentifier"]).components(separatedBy: .newlines)
        let identifier = try #require(printed.last).filter { $0.isHexDigit }
        try #expect(lines(kSecOIDSubjectKeyIdentifier) == ["Critical=No", "Key ID=\(identifier)"])
        try #expect(lines(kSecOIDAuthorityKeyIdentifier) == ["Critical=No", "Key ID=\(identifier)"])
    }

    @Test
    func `the fingerprints are OpenSSL's`() throws {
        let data = try data()
        let lines = try section(values(data)["Fingerprints"])
        for (label, option) in [("SHA-256", "-sha256"), ("SHA-1", "-sha1")] {
            let printed = try OpenSSL.print(data, ["-fingerprint", option])
            let digits = try #require(printed.split(separator: "=").last).filter { $0 != ":" }
            #expect(lines.contains("\(label)=\(digits)"))
        }
    }

    @Test
    func `keys choose what is listed, and one that the certificate has not is left out`() throws {
        let chosen = try values(data(), [kSecOIDX509V1SerialNumber, kSecOIDKeyUsage, kSecOIDNameConstraints])
        #expect(Set(chosen.keys) == [kSecOIDX509V1SerialNumber as String, kSecOIDKeyUsage as String])
        try #expect(values(data(), []).isEmpty)
    }

    @Test
    func `the long description has everything as lines of text`() throws {
        let certificate = try #require(SecCertificateCreateWithData(nil, data() as CFData))
        let text = try #require(SecCertificateCopyLongDescription(nil, certificate, nil) as String?)
        for line in [
            "Version: 3\n", "Serial Number: 12 34\n", "Subject Name:\n    Country or Region: SE\n",
            "    Certificate Authority: Yes\n", "Not Valid Before: 20", "Fingerprints:\n    SHA-256:\n        ",
        ] {
            #expect(text.contains(line), "\(line)")
        }
    }

    @Test
    func `text that would turn or hide what is around it does neither`() throws {
        var crafted = CraftedCertificate()
        let name = "bank.com\u{202E}\0\n\u{1B}[31m"
        crafted.subject = CraftedCertificate.name([(CraftedCertificate.commonName, der(0x0C, Array(name.utf8)))])
        let certificate = try #require(SecCertificateCreateWithData(nil, crafted.data as CFData))
        let text = try #require(SecCertificateCopyLongDescription(nil, certificate, nil) as String?)
        #expect(text.contains("Common Name: bank.com[31m\n"))
        let listed = try section(values(crafted.data)[kSecOIDX509V1SubjectName as String])
        #expect(listed == ["2.5.4.3=bank.com[31m"])
    }
}
