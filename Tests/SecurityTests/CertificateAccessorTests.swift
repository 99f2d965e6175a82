import Foundation
import KeychainTestSupport
import Security
import Testing

/// The functions that say what a certificate says, compared with OpenSSL.
@Suite("What a certificate says")
struct CertificateAccessorTests {
    private func certificate(_ data: Data) throws -> SecCertificate {
        try #require(SecCertificateCreateWithData(nil, data as CFData))
    }

    private func commonName(_ certificate: SecCertificate) -> (status: OSStatus, name: String?) {
        var name: CFString?
        let status = SecCertificateCopyCommonName(certificate, &name)
        return (status, name as String?)
    }

    @Test
    func `the common name, the summary and the short description are the subject's`() throws {
        let certificate = try certificate(OpenSSL.certificate("/C=SE/O=Company/OU=Sales/CN=Zoë Alice"))
        #expect(commonName(certificate) == (errSecSuccess, "Zoë Alice"))
        #expect(SecCertificateCopySubjectSummary(certificate) as String? == "Zoë Alice")
        #expect(SecCertificateCopyShortDescription(nil, certificate, nil) as String? == "Zoë Alice")
    }

    @Test
    func `a description has subject and issuer, without what cannot be seen`() throws {
        var crafted = CraftedCertificate()
        let name = der(0x0C, Array("\u{202E}Alice\n".utf8))
        crafted.subject = CraftedCertificate.name([(CraftedCertificate.commonName, name)])
        let certificate = try certificate(crafted.data)
        #expect(certificate.description.hasPrefix("<cert(0x"))
        #expect(certificate.description.hasSuffix(") s: Alice i: Issuer>"))
    }

    @Test
    func `a subject without a common name says so`() throws {
        let certificate = try certificate(OpenSSL.certificate("/O=Company"))
        #expect(commonName(certificate) == (-26276, nil))
        #expect(SecCertificateCopySubjectSummary(certificate) as String? == "Company")
    }

    @Test
    func `the e-mail addresses are those of the subject and of its alternative names`() throws {
        let both = try certificate(
            OpenSSL.certificate(
                "/CN=Alice/emailAddress=alice@example.com",
                ["-addext", "subjectAltName=DNS:example.com,email:a@example.org,email:b@example.org"]
            )
        )
        var addresses: CFArray?
        #expect(SecCertificateCopyEmailAddresses(both, &addresses) == errSecSuccess)
        #expect(addresses as? [String] == ["alice@example.com", "a@example.org", "b@example.org"])
        let none = try certificate(OpenSSL.certificate("/CN=Alice"))
        #expect(SecCertificateCopyEmailAddresses(none, &addresses) == errSecSuccess)
        #expect(addresses as? [String] == [])
    }

    @available(*, deprecated)
    @Test(arguments: ["1", "127", "128", "0x8000000000000001", "0xFFEEDDCCBBAA99887766554433221100FFEEDDCC"])
    func `the serial number is OpenSSL's, with a zero before a first bit that is set`(number: String) throws {
        let data = try OpenSSL.certificate("/CN=Alice", ["-set_serial", number])
        let certificate = try certificate(data)
        let serial = try #require(SecCertificateCopySerialNumberData(certificate, nil) as Data?)
        let digits = serial.map { String(format: "%02X", $0) }.joined()
        let printed = try OpenSSL.print(data, ["-serial"]).replacing("serial=", with: "")
        #expect(digits == printed || digits == "00" + printed && serial[1] >= 0x80)
        #expect(SecCertificateCopySerialNumber(certificate) as Data? == serial)
        #expect(SecCertificateCopySerialNumber(certificate, nil) as Data? == serial)
    }

    @Test
    func `the dates are OpenSSL's`() throws {
        let data = try OpenSSL.certificate("/CN=Alice", ["-days", "20000"])
        let certificate = try certificate(data)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "'notBefore='MMM d HH:mm:ss yyyy 'GMT'"
        let before = try #require(SecCertificateCopyNotValidBeforeDate(certificate) as Date?)
        #expect(try formatter.string(from: before) == OpenSSL.print(data, ["-startdate"]).replacing("  ", with: " "))
        formatter.dateFormat = "'notAfter='MMM d HH:mm:ss yyyy 'GMT'"
        let after = try #require(SecCertificateCopyNotValidAfterDate(certificate) as Date?)
        #expect(try formatter.string(from: after) == OpenSSL.print(data, ["-enddate"]).replacing("  ", with: " "))
    }

    @available(*, deprecated)
    @Test
    func `normalised names are the same for names that differ in case and blanks`() throws {
        let one = try certificate(OpenSSL.certificate("/O=My  Company/CN=Alice"))
        let other = try certificate(OpenSSL.certificate("/O=my company/CN=ALICE "))
        let subject = try #require(SecCertificateCopyNormalizedSubjectSequence(one) as Data?)
        #expect(subject.first == 0x30 && Int(subject[1]) == subject.count - 2)
        #expect(SecCertificateCopyNormalizedSubjectSequence(other) as Data? == subject)
        #expect(SecCertificateCopyNormalizedIssuerSequence(other) as Data? == subject)
        #expect(SecCertificateCopyNormalizedIssuerContent(one, nil) as Data? == subject.dropFirst(2))
        #expect(SecCertificateCopyNormalizedSubjectContent(one, nil) as Data? == subject.dropFirst(2))
    }

    @available(*, deprecated)
    @Test
    func `the public key is OpenSSL's, by each of the three functions`() throws {
        let data = try OpenSSL.certificate("/CN=Alice")
        let certificate = try certificate(data)
        let key = try #require(SecCertificateCopyKey(certificate))
        #expect(try SecKeyCopyExternalRepresentation(key, nil) as Data? == OpenSSL.publicKey(of: data))
        #expect(SecCertificateCopyPublicKey(certificate) == key)
        var other: SecKey?
        #expect(SecCertificateCopyPublicKey(certificate, &other) == errSecSuccess)
        #expect(other == key)
    }

    @available(*, deprecated)
    @Test
    func `a key of a kind that is not known is nil, and an error where there is a place for one`() throws {
        let certificate = try certificate(CraftedCertificate().data)
        #expect(SecCertificateCopyKey(certificate) == nil)
        var key: SecKey?
        #expect(SecCertificateCopyPublicKey(certificate, &key) == errSecUnsupportedKeyFormat)
    }
}
