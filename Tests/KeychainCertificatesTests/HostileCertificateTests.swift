import Foundation
import KeychainCertificates
import KeychainTestSupport
import Testing

/// Bytes that somebody made to do harm: each is read in part, or is no certificate.
@Suite("Hostile certificates")
struct HostileCertificateTests {
    private typealias Crafted = CraftedCertificate

    /// Asks for everything that can be asked.
    @discardableResult
    private func read(_ bytes: [UInt8]) -> CertificateContents? {
        guard let contents = CertificateContents(der: bytes) else { return nil }
        #expect(contents.properties(fingerprinting: bytes).count >= 11)
        _ = (contents.summary, contents.commonName, contents.emailAddresses, contents.publicKeyHash)
        _ = (contents.subjectKeyIdentifier, contents.issuer.normalizedSequence, contents.subject?.normalizedSequence)
        _ = (contents.subjectPublicKeyInfo.publicKey?.applicationLabel, contents.isValid(at: 0))
        return contents
    }

    /// A certificate with one of every extension that is known.
    private func ornate() throws -> [UInt8] {
        let extensions = [
            "basicConstraints=critical,CA:TRUE,pathlen:3", "keyUsage=critical,keyCertSign,cRLSign",
            "extendedKeyUsage=serverAuth,1.2.3.4",
            "subjectAltName=DNS:example.com,email:a@example.com,URI:https://example.com,IP:10.0.0.1",
            "authorityInfoAccess=OCSP;URI:http://ocsp.example.com", "crlDistributionPoints=URI:http://example.com/crl",
            "certificatePolicies=1.2.3.4,2.5.29.32.0", "1.2.3.4=DER:0500",
        ]
        return Array(
            try OpenSSL.certificate(
                "/C=SE/O=Company/CN=Alice/emailAddress=alice@example.com",
                extensions.flatMap { ["-addext", $0] }
            )
        )
    }

    @Test
    func `every length and every changed byte of a certificate with all extensions is read or refused`() throws {
        let der = try ornate()
        #expect(read(der) != nil)
        for length in der.indices { #expect(read(Array(der.prefix(length))) == nil) }
        for position in der.indices {
            for change in [0x01, 0xFF] as [UInt8] {
                var changed = der
                changed[position] ^= change
                read(changed)
            }
        }
    }

    @Test
    func `a part that is nested a hundred deep is refused`() {
        var nested: [UInt8] = [0x05, 0x00]
        for _ in 0..<100 { nested = der(0x30, nested) }
        var crafted = Crafted()
        crafted.extensions = [nested]
        #expect(read(crafted.bytes) == nil)
        crafted = Crafted()
        crafted.issuer = nested
        #expect(read(crafted.bytes) == nil)
        crafted = Crafted()
        crafted.algorithm = der(0x30, [0x06, 0x01, 0x2A] + nested)
        #expect(read(crafted.bytes) == nil)
    }

    @Test
    func `a subject that is nested a hundred deep is absent`() throws {
        var nested: [UInt8] = [0x05, 0x00]
        for _ in 0..<100 { nested = der(0x30, nested) }
        var crafted = Crafted()
        crafted.subject = nested
        let contents = try #require(read(crafted.bytes))
        #expect(contents.subject == nil)
    }

    @Test
    func `what is nested a hundred deep in an extension is shown as bytes, absent, or makes no certificate`() throws {
        var nested: [UInt8] = [0x05, 0x00]
        for _ in 0..<100 { nested = der(0x30, nested) }
        func certificate(_ type: UInt8) -> [UInt8] {
            var crafted = Crafted()
            crafted.extensions = [Crafted.element([0x06, 0x03, 0x55, 0x1D, type], nested)]
            return crafted.bytes
        }
        for type in [0x0E, 0x11, 0x12, 0x1F, 0x20, 0x23] as [UInt8] { #expect(read(certificate(type)) != nil) }
        #expect(try #require(read(certificate(0x25))).extensions.isEmpty)
        for type in [0x0F, 0x13, 0x1E, 0x21] as [UInt8] { #expect(read(certificate(type)) == nil) }
    }

    @Test(arguments: [0x84, 0x88, 0x80, 0xFE, 0xFF] as [UInt8])
    func `a length that lies is refused`(form: UInt8) {
        let bytes = Crafted().bytes
        var lying = bytes
        // The length of the whole is spelled in two bytes.
        lying[1] = form
        #expect(read(lying) == nil)
        lying = [0x30, form] + [UInt8](repeating: 0xFF, count: Int(form & 0x0F)) + bytes
        #expect(read(lying) == nil)
    }

    @Test
    func `a length in a longer form than it needs is refused`() {
        var crafted = Crafted()
        crafted.subject = [0x30, 0x81, 0x00]
        #expect(read(crafted.bytes) == nil)
    }

    @Test(arguments: [1, 7, 8, 255] as [UInt8])
    func `a key whose last byte does not count as a whole is no key`(unusedBits: UInt8) throws {
        let certificate = try OpenSSL.certificate("/CN=Alice")
        var point = Array(try OpenSSL.publicKey(of: certificate))
        var crafted = Crafted()
        crafted.publicKey = Crafted.key(onCurve: Crafted.p256, point: point)
        #expect(read(crafted.bytes)?.subjectPublicKeyInfo.publicKey != nil)
        point[64] = 0
        crafted.publicKey = Crafted.key(onCurve: Crafted.p256, point: point, unusedBits: unusedBits)
        #expect(read(crafted.bytes)?.subjectPublicKeyInfo.publicKey == nil)
    }

    @Test
    func `an object identifier with numbers beyond every integer is shown in hexadecimal`() throws {
        let huge: [UInt8] = [0x06, 0x14] + [UInt8](repeating: 0xFF, count: 19) + [0x7F]
        var crafted = Crafted()
        crafted.algorithm = der(0x30, huge)
        crafted.subject = Crafted.name([(huge, der(0x0C, Array("x".utf8)))])
        crafted.extensions = [Crafted.element(huge, [0x05, 0x00])]
        let contents = try #require(read(crafted.bytes))
        #expect(contents.signatureAlgorithm.algorithm.description == "0x" + String(repeating: "FF", count: 19) + "7F")
    }

    @Test
    func `an object identifier of a hundred kilobytes is read`() throws {
        var crafted = Crafted()
        crafted.algorithm = der(0x30, der(0x06, [UInt8](repeating: 0x2A, count: 100_000)))
        #expect(read(crafted.bytes) != nil)
    }

    @Test(arguments: [[0x06, 0x00], [0x06, 0x01, 0x80], [0x06, 0x02, 0x2A, 0x81]] as [[UInt8]])
    func `an object identifier that breaks off is refused`(identifier: [UInt8]) {
        var crafted = Crafted()
        crafted.algorithm = der(0x30, identifier)
        #expect(read(crafted.bytes) == nil)
    }

    @Test
    func `an extension of a mebibyte is read and shown`() throws {
        var crafted = Crafted()
        crafted.extensions = [
            Crafted.element([0x06, 0x03, 0x2A, 0x03, 0x04], [UInt8](repeating: 0xAB, count: 1 << 20))
        ]
        let contents = try #require(read(crafted.bytes))
        #expect(contents.extensions.first?.value.count == 1 << 20)
    }

    @Test
    func `ten thousand names, extensions and parts are read`() throws {
        var crafted = Crafted()
        let address = der(0x81, Array("a@example.com".utf8))
        let names = der(0x30, [[UInt8]](repeating: address, count: 20_000).flatMap { $0 })
        let small = Crafted.element([0x06, 0x03, 0x2A, 0x03, 0x04], [0x05, 0x00])
        crafted.extensions =
            [Crafted.element(Crafted.subjectAlternativeName, names)] + [[UInt8]](repeating: small, count: 10_000)
        crafted.subject = Crafted.name(
            [([UInt8], [UInt8])](repeating: (Crafted.commonName, der(0x0C, Array("x".utf8))), count: 10_000)
        )
        let contents = try #require(read(crafted.bytes))
        #expect(contents.emailAddresses.count == 20_000)
        #expect(contents.extensions.count == 10_001)
        #expect(contents.subjectAttributes.count == 10_000)
    }

    @Test(arguments: ["", "\0", "not a time", "990230000000Z", "200101000000", "201301000000Z"])
    func `a time that is none makes no certificate`(text: String) {
        var crafted = Crafted()
        crafted.validity = der(0x30, der(0x17, Array(text.utf8)) + der(0x17, Array("400101000000Z".utf8)))
        #expect(read(crafted.bytes) == nil)
    }
}
