import Foundation
import KeychainCertificates
import KeychainTestSupport
import Testing

@Suite("Fields of certificates")
struct CertificateFieldTests {
    private typealias Crafted = CraftedCertificate

    @Test
    func `a certificate of version 1 is read`() throws {
        var crafted = Crafted()
        crafted.version = []
        let contents = try #require(CertificateContents(der: crafted.bytes))
        #expect(contents.version == 1)
        #expect(contents.extensions.isEmpty)
        #expect(contents.subjectKeyIdentifier == nil)
    }

    @Test(arguments: [([0xA0, 0x03, 0x02, 0x01, 0x01], 2), ([0xA0, 0x03, 0x02, 0x01, 0x02], 3)] as [([UInt8], Int)])
    func `the version is one more than its number`(field: [UInt8], version: Int) throws {
        var crafted = Crafted()
        crafted.version = field
        #expect(CertificateContents(der: crafted.bytes)?.version == version)
    }

    @Test(arguments: [[0xA0, 0x03, 0x02, 0x01, 0x03], [0xA0, 0x03, 0x02, 0x01, 0xFF], [0xA0, 0x00]] as [[UInt8]])
    func `a version that there is not makes no certificate`(field: [UInt8]) {
        var crafted = Crafted()
        crafted.version = field
        #expect(CertificateContents(der: crafted.bytes) == nil)
    }

    @Test
    func `algorithms and keys of any kind are taken`() throws {
        var crafted = Crafted()
        crafted.algorithm = der(0x30, [0x06, 0x03, 0x2A, 0x03, 0x04] + der(0x04, [1, 2, 3]))
        let contents = try #require(CertificateContents(der: crafted.bytes))
        #expect(contents.signatureAlgorithm.algorithm.description == "1.2.3.4")
        #expect(contents.subjectPublicKeyInfo.algorithm.algorithm.description == "1.2.3.4")
        #expect(contents.subjectPublicKeyInfo.publicKey == nil)
        #expect(contents.publicKeyHash.count == 20)
    }

    @Test(arguments: [[0x7F], [0x00, 0x80], [0xFF], [0x80, 0x00], [0x00]] as [[UInt8]])
    func `a serial number is what stands in the certificate, also if it is negative or zero`(content: [UInt8]) {
        var crafted = Crafted()
        crafted.serialNumber = content
        #expect(CertificateContents(der: crafted.bytes)?.serialNumber == content)
    }

    @Test
    func `a serial number of 10 kilobytes is read, and one of no bytes is none`() {
        var crafted = Crafted()
        crafted.serialNumber = [UInt8](repeating: 0x55, count: 10_000)
        #expect(CertificateContents(der: crafted.bytes)?.serialNumber.count == 10_000)
        crafted.serialNumber = []
        #expect(CertificateContents(der: crafted.bytes) == nil)
    }

    @Test
    func `what stands behind a certificate makes it none`() {
        var crafted = Crafted()
        for trailer in [[0x00], [0x05, 0x00], Crafted().bytes] as [[UInt8]] {
            crafted.trailer = trailer
            #expect(CertificateContents(der: crafted.bytes) == nil)
            #expect(CertificateContents.first(in: crafted.bytes) == Crafted().bytes)
        }
        #expect(CertificateContents.first(in: [0x05, 0x00] + Crafted().bytes) == nil)
    }

    // MARK: - The summary

    private func summary(_ attributes: [([UInt8], String)], extensions: [[UInt8]]? = nil) throws -> String? {
        var crafted = Crafted()
        crafted.subject = Crafted.name(attributes.map { ($0.0, der(0x0C, Array($0.1.utf8))) })
        crafted.extensions = extensions
        return try #require(CertificateContents(der: crafted.bytes)).summary
    }

    @Test
    func `the summary is the common name, else an address or a host, else the unit, else the organisation`() throws {
        let name = (Crafted.commonName, "Alice")
        let unit = (Crafted.organizationalUnit, "Sales")
        let organization = (Crafted.organization, "Company")
        try #expect(summary([organization, name, unit]) == "Alice")
        try #expect(summary([organization, unit]) == "Sales")
        try #expect(summary([organization]) == "Company")
        try #expect(summary([]) == nil)
        let host = der(0x30, der(0x82, Array("example.com".utf8)))
        let names = [Crafted.element(Crafted.subjectAlternativeName, host)]
        try #expect(summary([organization, unit], extensions: names) == "example.com")
        try #expect(summary([organization, name], extensions: names) == "Alice")
    }

    @Test
    func `without a name the summary is an e-mail address, else a host`() throws {
        func names(_ names: [[UInt8]]) -> [UInt8] {
            Crafted.element(Crafted.subjectAlternativeName, der(0x30, names.flatMap { $0 }))
        }
        let address = der(0x81, Array("alice@example.com".utf8))
        let host = der(0x82, Array("example.com".utf8))
        try #expect(summary([], extensions: [names([host, address])]) == "alice@example.com")
        try #expect(summary([], extensions: [names([host])]) == "example.com")
        let other = der(0x82, Array("example.org".utf8))
        try #expect(summary([], extensions: [names([host, other])]) == "example.org, example.com")
    }

    @Test
    func `of several common names all are in the summary, the last one first`() throws {
        try #expect(summary([(Crafted.commonName, "CA"), (Crafted.commonName, "Alice")]) == "Alice, CA")
        let units = ["A", "B", "C"].map { (Crafted.organizationalUnit, $0) }
        try #expect(summary(units) == "C, B, A")
    }

    @Test
    func `an empty common name is none`() throws {
        try #expect(summary([(Crafted.organization, "Company"), (Crafted.commonName, "")]) == "Company")
    }

    @Test
    func `a common name with NUL in it is none`() throws {
        let forged = (Crafted.commonName, "bank.com\0.evil.com")
        try #expect(summary([(Crafted.organization, "Company"), forged]) == "Company")
        var crafted = Crafted()
        crafted.subject = Crafted.name([(Crafted.commonName, der(0x0C, Array(forged.1.utf8)))])
        #expect(CertificateContents(der: crafted.bytes)?.commonName == nil)
    }

    @Test
    func `the summary has no character that turns, hides or breaks text, and the common name stays as it is`() throws {
        let text = "\u{202E}moc.knab\u{202C}\u{200B}\u{2066}x\u{2069}\n\u{1B}[2J\u{2028}"
        try #expect(summary([(Crafted.commonName, text)]) == "moc.knabx[2J")
        var crafted = Crafted()
        crafted.subject = Crafted.name([(Crafted.commonName, der(0x0C, Array(text.utf8)))])
        #expect(CertificateContents(der: crafted.bytes)?.commonName == text)
    }

    @Test
    func `text in every encoding is a name`() throws {
        let values: [([UInt8], String)] = [
            (der(0x0C, Array("Zoë".utf8)), "Zoë"), (der(0x13, Array("Alice".utf8)), "Alice"),
            (der(0x14, [0x5A, 0x6F, 0xEB]), "Zoë"), (der(0x1E, [0x00, 0x5A, 0x00, 0x6F, 0x00, 0xEB]), "Zoë"),
            (der(0x1C, [0, 0, 0, 0x5A, 0, 1, 0xF6, 0x00]), "Z😀"),
        ]
        for (value, text) in values {
            var crafted = Crafted()
            crafted.subject = Crafted.name([(Crafted.commonName, value)])
            #expect(CertificateContents(der: crafted.bytes)?.summary == text)
        }
    }

    @Test(
        arguments: [
            der(0x1E, [0x00, 0x41, 0x00]), der(0x1E, [0xD8, 0x00]), der(0x1C, [0, 0, 0]), der(0x0C, [0xC3]),
            der(0x13, [0xEB]), der(0x02, [0x01]),
        ]
    )
    func `a value that is no text in its encoding is no name, and the certificate is read`(value: [UInt8]) throws {
        var crafted = Crafted()
        crafted.subject = Crafted.name([(Crafted.commonName, value)])
        let contents = try #require(CertificateContents(der: crafted.bytes))
        #expect(contents.commonName == nil)
        #expect(contents.summary == nil)
        #expect(contents.subjectAttributes.count == 1)
    }
}
