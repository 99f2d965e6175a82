import Foundation
import KeychainTestSupport
import Security
import Testing

@Suite("Exporting")
struct ExportTests {
    private let files: ExchangedFiles
    private let certificate: SecCertificate
    private let authority: SecCertificate
    private let key: SecKey
    private let publicKey: SecKey
    private let identity: SecIdentity

    init() throws {
        files = try ExchangedFiles()
        certificate = try #require(SecCertificateCreateWithData(nil, files.certificate as CFData))
        authority = try #require(SecCertificateCreateWithData(nil, files.authority as CFData))
        key = try #require(importing(files.key).keys.first)
        publicKey = try #require(SecKeyCopyPublicKey(key))
        identity = try #require(SecIdentityCreate(nil, certificate, key))
    }

    private func der(_ text: Data) -> Data? {
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        guard let first = lines.first, first.hasPrefix("-----BEGIN "), lines.last?.hasPrefix("-----END ") == true else {
            return nil
        }
        return Data(base64Encoded: lines.dropFirst().dropLast().joined())
    }

    @Test
    func `OpenSSL reads a PKCS 12 file of an identity and an authority`() throws {
        let file = try #require(exporting([identity, authority], .formatPKCS12, passphrase: "geheim ✓").data)
        let text = String(
            decoding: try files.openssl(
                "pkcs12",
                "-in",
                "x.p12",
                "-nodes",
                "-passin",
                "pass:geheim ✓",
                adding: ["x.p12": file]
            ),
            as: UTF8.self
        )
        #expect(text.contains("friendlyName: Alice"))
        #expect(text.components(separatedBy: "-----BEGIN CERTIFICATE-----").count == 3)
        #expect(text.components(separatedBy: "-----BEGIN PRIVATE KEY-----").count == 2)
        #expect(importing(Data(text.utf8)).keys == [key])
        #expect(
            throws: OpenSSL.Failure.self
        ) { try files.openssl("pkcs12", "-in", "x.p12", "-nodes", "-passin", "pass:x", adding: ["x.p12": file]) }
        // And we read it ourselves, as text too.
        let armoured = try #require(exporting(identity, .formatPKCS12, text: true, passphrase: "p").data)
        #expect(importing(armoured, passphrase: "p").identities == [identity])
        #expect(importing(file, passphrase: "geheim ✓").identities == [identity])
    }

    @Test
    func `keys have OpenSSL's own form, PKCS 8 and its encrypted form`() throws {
        let own = try #require(exporting(key, .formatOpenSSL).data)
        #expect(try own == files.openssl("ec", "-in", "key.pem", "-outform", "DER"))
        #expect(exporting(key, .formatUnknown).data == own)
        let text = try #require(exporting(key, .formatOpenSSL, text: true).data)
        #expect(der(text) == own)
        #expect(text.starts(with: Data("-----BEGIN EC PRIVATE KEY-----\n".utf8)))
        #expect(exporting(key, .formatBSAFE).data == files.key)
        let wrapped = try #require(exporting(key, .formatWrappedPKCS8, text: true, passphrase: "secret").data)
        let opened = try files.openssl(
            "pkcs8",
            "-in",
            "wrapped.pem",
            "-passin",
            "pass:secret",
            "-outform",
            "DER",
            adding: ["wrapped.pem": wrapped]
        )
        #expect(opened == own)
        let open = try files.openssl("pkey", "-in", "key.pem", "-pubout", "-outform", "DER")
        #expect(exporting(publicKey, .formatOpenSSL).data == open)
        #expect(exporting(publicKey, .formatUnknown).data == open)
    }

    @Test
    func `RSA keys have the forms of PKCS 1`() throws {
        let files = try ExchangedFiles(.rsa)
        let key = try #require(importing(files.key).keys.first)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let own = try files.openssl("rsa", "-in", "key.pem", "-traditional", "-outform", "DER")
        #expect(exporting(key, .formatOpenSSL).data == own)
        #expect(exporting(key, .formatBSAFE).data == files.key)
        let open = try files.openssl("rsa", "-in", "key.pem", "-RSAPublicKey_out", "-outform", "DER")
        #expect(exporting(publicKey, .formatBSAFE).data == open)
        #expect(exporting(self.publicKey, .formatBSAFE).status == errSecUnsupportedFormat)
    }

    @Test
    func `certificates are exported by themselves, in bundles and in sequences`() throws {
        #expect(exporting(certificate, .formatX509Cert).data == files.certificate)
        #expect(exporting(certificate, .formatUnknown).data == files.certificate)
        #expect(exporting(certificate, .formatX509Cert, text: true).data == files.text("alice.pem"))
        let bundle = try #require(exporting([certificate, authority], .formatPKCS7, text: true).data)
        let text = String(
            decoding: try files.openssl("pkcs7", "-in", "x.p7b", "-print_certs", adding: ["x.p7b": bundle]),
            as: UTF8.self
        )
        #expect(text.contains("CN = Alice") && text.contains("CN = Authority"))
        let sequence = try #require(exporting([certificate, authority, key, publicKey], .formatPEMSequence).data)
        let imported = importing(sequence)
        #expect(imported.certificates == [files.certificate, files.authority])
        #expect(imported.keys == [key, publicKey])
        #expect(exporting([certificate, authority, key, publicKey], .formatUnknown).data == sequence)
        let guarded = try #require(exporting(identity, .formatPEMSequence, passphrase: "secret").data)
        #expect(String(decoding: guarded, as: UTF8.self).contains("-----BEGIN ENCRYPTED PRIVATE KEY-----"))
        #expect(importing(guarded).status == errSecPassphraseRequired)
        #expect(importing(guarded, passphrase: "secret").keys == [key])
    }

    @Test
    func `the status says what cannot be exported, and the result is left alone`() throws {
        let cases: [(Any, SecExternalFormat, OSStatus)] = [
            (identity, .formatPKCS12, errSecPassphraseRequired), (key, .formatWrappedPKCS8, errSecPassphraseRequired),
            (key, .formatX509Cert, errSecUnsupportedFormat), (key, .formatPKCS7, errSecUnsupportedFormat),
            ([certificate, authority], .formatX509Cert, errSecUnsupportedFormat),
            ([key, key], .formatOpenSSL, errSecUnsupportedFormat),
            (certificate, .formatOpenSSL, errSecUnsupportedFormat),
            (publicKey, .formatPKCS12, errSecUnsupportedFormat),
            (publicKey, .formatWrappedPKCS8, errSecUnsupportedFormat),
            (key, .formatSSH, errSecUnsupportedFormat), (key, .formatRawKey, errSecUnsupportedFormat),
            (NSArray(), .formatPEMSequence, errSecParam), ("text", .formatPEMSequence, errSecParam),
            ([certificate, "text"], .formatPEMSequence, errSecParam),
        ]
        for (object, format, status) in cases {
            var data: CFData? = Data([1]) as CFData
            #expect(SecItemExport(object as CFTypeRef, format, [], nil, &data) == status, "\(format)")
            #expect(data as Data? == Data([1]), "\(format)")
        }
    }
}
