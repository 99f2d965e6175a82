import Crypto
import CryptoExtras
import Foundation
import KeychainCertificates
import KeychainExchange
import KeychainModel
import KeychainTestSupport
import Testing

/// Somebody who signs bytes.
struct Signer {
    let algorithm: SignatureAlgorithm
    let sign: (_ toBeSigned: [UInt8]) throws -> [UInt8]

    init(_ algorithm: SignatureAlgorithm, sign: @escaping (_ toBeSigned: [UInt8]) throws -> [UInt8]) {
        self.algorithm = algorithm
        self.sign = sign
    }
}

extension CertificateRequest {
    fileprivate func encoded(by signer: Signer) throws -> [UInt8] {
        let toBeSigned = try toBeSigned()
        return signer.algorithm.signed(toBeSigned, signature: try signer.sign(toBeSigned))
    }
}

extension NewCertificate {
    fileprivate func encoded(by signer: Signer) throws -> [UInt8] {
        let toBeSigned = try toBeSigned(signer.algorithm)
        return signer.algorithm.signed(toBeSigned, signature: try signer.sign(toBeSigned))
    }
}

/// Requests and certificates that are made here, as OpenSSL sees them, and the other way round.
@Suite struct RequestTests {
    /// A key with each algorithm.
    struct Key: Sendable, CustomStringConvertible {
        let signer: @Sendable () throws -> (publicKey: [UInt8], signer: Signer)
        let description: String

        static let all = [
            Key(description: "P-256") {
                let key = P256.Signing.PrivateKey()
                return (
                    Array(key.publicKey.derRepresentation),
                    Signer(.ecdsaWithSHA256) { bytes in
                        Array(try key.signature(for: Data(bytes)).derRepresentation)
                    }
                )
            },
            Key(description: "P-384") {
                let key = P384.Signing.PrivateKey()
                return (
                    Array(key.publicKey.derRepresentation),
                    Signer(.ecdsaWithSHA384) { bytes in
                        Array(try key.signature(for: Data(bytes)).derRepresentation)
                    }
                )
            },
            Key(description: "P-521") {
                let key = P521.Signing.PrivateKey()
                return (
                    Array(key.publicKey.derRepresentation),
                    Signer(.ecdsaWithSHA512) { bytes in
                        Array(try key.signature(for: Data(bytes)).derRepresentation)
                    }
                )
            },
            rsa(.sha256WithRSA) { SHA256.hash(data: $0) },
            rsa(.sha384WithRSA) { SHA384.hash(data: $0) },
            rsa(.sha512WithRSA) { SHA512.hash(data: $0) },
        ]

        private static func rsa<D: Digest>(
            _ algorithm: SignatureAlgorithm,
            _ hash: @escaping @Sendable ([UInt8]) -> D
        ) -> Key {
            Key(description: "\(algorithm)") {
                let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
                // swift-crypto writes the algorithm of PSS there, which would not go with these signatures.
                let bits = Array(try #require(Data(base64Encoded: pkcs1(key.publicKey))))
                let rsa: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
                return (
                    der(0x30, der(0x30, rsa) + der(0x03, [0] + bits)),
                    Signer(algorithm) { bytes in
                        Array(try key.signature(for: hash(bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
                    }
                )
            }
        }

        private static func pkcs1(_ key: _RSA.Signing.PublicKey) -> String {
            key.pkcs1PEMRepresentation.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        }

        init(description: String, signer: @escaping @Sendable () throws -> (publicKey: [UInt8], signer: Signer)) {
            self.signer = signer
            self.description = description
        }
    }

    private static let subject = [
        NamePart(.country, "DE"), NamePart(.organization, "B\u{E4}ckerei"), NamePart(.organizationalUnit, "Sales"),
        NamePart(.commonName, "Alice"), NamePart(.emailAddress, "alice@example.org"),
    ]

    private static var extensions: ExtensionList {
        var extensions = ExtensionList()
        extensions.keyUsage = [.digitalSignature, .keyEncipherment]
        extensions.extendedKeyUsage = [.serverAuthentication, .clientAuthentication]
        extensions.alternativeNames = [
            .dns("example.org"), .emailAddress("alice@example.org"), .ipAddress([192, 0, 2, 1]),
            .ipAddress([0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]), .uri("https://example.org/"),
        ]
        return extensions
    }

    @Test("OpenSSL verifies a request and sees what it asks for", arguments: Key.all)
    func request(key: Key) throws {
        let (publicKey, signer) = try key.signer()
        let request = CertificateRequest(subject: Self.subject, publicKey: publicKey, extensions: Self.extensions)
        let bytes = try request.encoded(by: signer)
        let bench = try Workbench()
        try bench.write(bytes, "r.der")
        try bench.run("openssl", "req", "-inform", "DER", "-in", "r.der", "-verify", "-noout")
        let text = try bench.run(
            "openssl",
            "req",
            "-inform",
            "DER",
            "-in",
            "r.der",
            "-text",
            "-noout",
            "-nameopt",
            "utf8"
        )
        for expected in [
            "C=DE, O=B\u{E4}ckerei, OU=Sales, CN=Alice, emailAddress=alice@example.org",
            "Digital Signature, Key Encipherment",
            "TLS Web Server Authentication, TLS Web Client Authentication",
            "DNS:example.org, email:alice@example.org, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1, "
                + "URI:https://example.org/",
        ] {
            #expect(text.contains(expected), "\(expected) in \(text)")
        }
    }

    @Test("A request without anything but a key is one")
    func bareRequest() throws {
        let (publicKey, signer) = try Key.all[0].signer()
        let bytes = try CertificateRequest(subject: [], publicKey: publicKey).encoded(by: signer)
        let bench = try Workbench()
        try bench.write(bytes, "r.der")
        try bench.run("openssl", "req", "-inform", "DER", "-in", "r.der", "-verify", "-noout")
    }

    // MARK: - Certificates

    @Test("OpenSSL verifies a certificate that its own key signs, and sees what it says", arguments: Key.all)
    func certificate(key: Key) throws {
        let (publicKey, signer) = try key.signer()
        var extensions = Self.extensions
        extensions.basicConstraints = .authority(pathLength: 3)
        extensions.keyUsage = [.digitalSignature, .certificateSigning, .decipherOnly]
        extensions.subjectKeyIdentifier = [1, 2, 3, 4]
        let certificate = NewCertificate(
            serialNumber: [0x00, 0xFF, 0x01],
            subject: Self.subject,
            notBefore: 0,
            notAfter: 1_600_000_000,
            publicKey: publicKey,
            extensions: extensions
        )
        let bytes = try certificate.encoded(by: signer)
        let bench = try Workbench()
        try bench.write(PEM.encode(.certificate, bytes), "c.pem")
        try bench.run("openssl", "verify", "-x509_strict", "-check_ss_sig", "-CAfile", "c.pem", "c.pem")
        let text = try bench.run("openssl", "x509", "-in", "c.pem", "-text", "-noout", "-nameopt", "utf8")
        for expected in [
            "Version: 3", "Serial Number: 65281 (0xff01)", "Not Before: Jan  1 00:00:00 2001 GMT",
            "Not After : Sep 14 12:26:40 2051 GMT", "CA:TRUE, pathlen:3",
            "Digital Signature, Certificate Sign, Decipher Only",
            "01:02:03:04", "DNS:example.org",
        ] {
            #expect(text.contains(expected), "\(expected) in \(text)")
        }
        let contents = try #require(CertificateContents(der: bytes))
        #expect(contents.notBefore == 0 && contents.notAfter == 1_600_000_000)
        #expect(contents.commonName == "Alice" && contents.emailAddresses.contains("alice@example.org"))
        #expect(contents.subject == contents.issuer)
        #expect(contents.subjectKeyIdentifier == [1, 2, 3, 4])
    }

    @Test("Another's certificate is signed with a chain that OpenSSL verifies")
    func chain() throws {
        let (rootKey, root) = try Key.all[0].signer()
        let (leafKey, _) = try Key.all[1].signer()
        var authority = ExtensionList()
        authority.basicConstraints = .authority(pathLength: nil)
        authority.keyUsage = [.certificateSigning, .revocationListSigning]
        authority.subjectKeyIdentifier = [9, 9]
        var leaf = ExtensionList()
        leaf.basicConstraints = .notAnAuthority
        leaf.subjectKeyIdentifier = [1]
        leaf.authorityKeyIdentifier = [9, 9]
        leaf.alternativeNames = [.dns("example.org")]
        let name = [NamePart(.commonName, "Root")]
        let bench = try Workbench()
        let rootCertificate = NewCertificate(
            subject: name,
            notBefore: 0,
            notAfter: 1_600_000_000,
            publicKey: rootKey,
            extensions: authority
        )
        let leafCertificate = NewCertificate(
            subject: [NamePart(.commonName, "Leaf")],
            issuer: name,
            notBefore: 0,
            notAfter: 1_600_000_000,
            publicKey: leafKey,
            extensions: leaf
        )
        try bench.write(PEM.encode(.certificate, rootCertificate.encoded(by: root)), "r.pem")
        try bench.write(PEM.encode(.certificate, leafCertificate.encoded(by: root)), "l.pem")
        try bench.run(
            "openssl",
            "verify",
            "-x509_strict",
            "-CAfile",
            "r.pem",
            "-verify_hostname",
            "example.org",
            "l.pem"
        )
    }

    @Test(
        "Each instant is written as the second that it is",
        arguments: [
            -1_609_459_200, -1_609_459_199, -1, 0, 1, 68_169_600, 99_705_599, 99_705_600, 1_546_300_799, 1_546_300_800,
            3_124_223_999, 3_124_224_000, 252_423_993_599,
        ] as [Double]
    )
    func times(seconds: Double) throws {
        let (publicKey, signer) = try Key.all[0].signer()
        let certificate = NewCertificate(
            subject: Self.subject,
            notBefore: seconds,
            notAfter: 252_423_993_599,
            publicKey: publicKey
        )
        let contents = try #require(CertificateContents(der: certificate.encoded(by: signer)))
        #expect(contents.notBefore == seconds)
        // A second way to the date: Foundation's.
        let bytes = try certificate.toBeSigned(.ecdsaWithSHA256)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let year = parts.year ?? 0
        let text = String(
            format: year < 2050 ? "%02d%02d%02d%02d%02d%02dZ" : "%04d%02d%02d%02d%02d%02dZ",
            year < 2050 ? year % 100 : year,
            parts.month ?? 0,
            parts.day ?? 0,
            parts.hour ?? 0,
            parts.minute ?? 0,
            parts.second ?? 0
        )
        let field = der(year < 2050 ? 0x17 : 0x18, Array(text.utf8))
        #expect(bytes.indices.contains { bytes[$0...].starts(with: field) })
    }

    @Test("Serial numbers that are chosen have 127 bits and are never the same")
    func serialNumbers() {
        let numbers = (0..<100).map { _ in NewCertificate.randomSerialNumber() }
        #expect(Set(numbers).count == 100)
        #expect(numbers.allSatisfy { $0.count == 16 && (0x40...0x7F).contains($0.first ?? 0) })
    }

    @Test("What the formats have no room for is refused")
    func refused() throws {
        let (publicKey, signer) = try Key.all[0].signer()
        for part in [
            NamePart(.country, "Germany"), NamePart(.country, "\u{E4}"), NamePart(.commonName, ""),
            NamePart(.commonName, "a\0b"),
            NamePart(.emailAddress, "\u{E4}@example.org"), NamePart(.serialNumber, "a*b"),
            NamePart(.commonName, String(repeating: "a", count: 1025)),
        ] {
            #expect(throws: KeychainError(.invalidParameter, ""), "\(part)") {
                try CertificateRequest(subject: [part], publicKey: publicKey).toBeSigned()
            }
        }
        for name in [
            .dns("b\u{E4}ckerei.de"), .dns(""), .dns("a b"), .ipAddress([1, 2, 3]), .emailAddress("a\n@b"), .uri("\0"),
        ] as [ExtensionList.AlternativeName] {
            var extensions = ExtensionList()
            extensions.alternativeNames = [name]
            #expect(throws: KeychainError(.invalidParameter, ""), "\(name)") {
                try CertificateRequest(subject: [], publicKey: publicKey, extensions: extensions).toBeSigned()
            }
        }
        func certificate(
            _ serial: [UInt8] = [1],
            _ from: Double = 0,
            _ to: Double = 1,
            _ key: [UInt8]? = nil
        ) -> NewCertificate {
            NewCertificate(
                serialNumber: serial,
                subject: [],
                notBefore: from,
                notAfter: to,
                publicKey: key ?? publicKey
            )
        }
        #expect(throws: Never.self) { try certificate([UInt8](repeating: 0x7F, count: 20)).encoded(by: signer) }
        for wrong in [
            certificate([]), certificate([0, 0]), certificate([UInt8](repeating: 0x7F, count: 21)),
            certificate([UInt8](repeating: 0xFF, count: 20)), certificate([1], 2, 1), certificate([1], .nan, 1),
            certificate([1], -.infinity, 1), certificate([1], 0, .infinity), certificate([1], 0, 252_423_993_600),
            certificate([1], 0, 1, []), certificate([1], 0, 1, [0x30, 0x00]), certificate([1], 0, 1, publicKey + [0]),
        ] {
            #expect(throws: KeychainError(.invalidParameter, "")) { try wrong.encoded(by: signer) }
        }
    }
}
