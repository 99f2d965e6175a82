import Foundation
import KeychainCertificates
import KeychainTestSupport
import Testing

/// Certificates that another program makes.
@Suite("Certificates of OpenSSL")
struct CertificateContentsTests {
    private func certificate(_ subject: String, _ arguments: [String] = []) throws -> [UInt8] {
        Array(try OpenSSL.certificate(subject, arguments))
    }

    @Test
    func `names, validity and e-mail addresses are read`() throws {
        let before = Date().timeIntervalSinceReferenceDate
        let der = try certificate(
            "/C=SE/O=My  Company/CN=Alice/emailAddress=alice@example.com",
            ["-days", "30", "-addext", "subjectAltName=DNS:example.com,email:alice@example.org"]
        )
        let contents = try #require(CertificateContents(der: der))
        #expect(contents.emailAddresses == ["alice@example.com", "alice@example.org"])
        #expect(contents.issuer == contents.subject)
        let text = String(decoding: try #require(contents.subject).normalizedContent, as: UTF8.self)
        for part in ["SE", "MY COMPANY", "ALICE", "ALICE@EXAMPLE.COM"] { #expect(text.contains(part)) }
        #expect(abs(contents.notBefore - before) < 600)
        #expect(contents.notAfter - contents.notBefore == 30 * 86_400)
    }

    @Test
    func `dates beyond 2049 are read`() throws {
        let der = try certificate("/CN=Alice", ["-days", "36525"])
        let contents = try #require(CertificateContents(der: der))
        #expect(contents.notAfter - contents.notBefore == 36_525 * 86_400)
        #expect(contents.emailAddresses.isEmpty)
    }

    @Test
    func `a certificate cut off at any length is none`() throws {
        let der = try certificate("/CN=Alice", ["-addext", "subjectAltName=email:alice@example.org"])
        #expect(CertificateContents(der: der) != nil)
        for length in der.indices { #expect(CertificateContents(der: Array(der.prefix(length))) == nil) }
    }

    @Test
    func `any changed byte is read or refused`() throws {
        let der = try certificate("/CN=Alice", ["-addext", "subjectAltName=email:alice@example.org"])
        var refused = 0
        for position in der.indices {
            for change in [0x01, 0x20, 0x80, 0xFF] as [UInt8] {
                var changed = der
                changed[position] ^= change
                if CertificateContents(der: changed) == nil { refused += 1 }
            }
        }
        #expect(refused > 0 && refused < der.count * 4)
    }
}
