import Foundation
import KeychainTestSupport
import Security
import Testing

@Suite("Importing")
struct ImportTests {
    private func pkcs12(_ data: Data, _ options: [CFString: Any]) -> (status: OSStatus, items: [[String: Any]]?) {
        var items: CFArray?
        let status = SecPKCS12Import(data as CFData, options as CFDictionary, &items)
        return (status, items as? [[String: Any]])
    }

    private func openFile(_ files: ExchangedFiles, _ arguments: String...) throws -> Data {
        try files.openssl(
            "pkcs12",
            "-export",
            "-inkey",
            "key.pem",
            "-in",
            "alice.pem",
            "-certfile",
            "ca.pem",
            "-name",
            "my name",
            "-passout",
            "pass:secret",
            arguments.first ?? "-info"
        )
    }

    // MARK: - SecPKCS12Import

    @Test(arguments: ExchangedFiles.Kind.allCases, ["-info", "-legacy"])
    func `an identity comes out of OpenSSL's files, the new and the old`(
        kind: ExchangedFiles.Kind,
        form: String
    ) throws {
        let files = try ExchangedFiles(kind)
        let outcome = pkcs12(try openFile(files, form), [kSecImportExportPassphrase: "secret"])
        #expect(outcome.status == errSecSuccess)
        try #require(outcome.items?.count == 1)
        let item = try #require(outcome.items?.first)
        let identity = try #require(item["identity"] as? SecIdentity)
        var certificate: SecCertificate?
        SecIdentityCopyCertificate(identity, &certificate)
        #expect(try SecCertificateCopyData(#require(certificate)) as Data == files.certificate)
        let chain = try #require(item["chain"] as? [SecCertificate])
        #expect(chain.map { SecCertificateCopyData($0) as Data } == [files.certificate, files.authority])
        #expect(item["label"] as? String == "my name")
        var key: SecKey?
        SecIdentityCopyPrivateKey(identity, &key)
        let attributes = try SecKeyCopyAttributes(#require(key)) as? [String: Any]
        #expect(item["keyid"] as? Data == attributes?["klbl"] as? Data)
        // The trust is about the identity's certificate.
        let trust = try #require(item["trust"] as? SecTrust)
        #expect(SecTrustGetCertificateCount(trust) >= 1)
        let authority = try #require(SecCertificateCreateWithData(nil, files.authority as CFData))
        SecTrustSetAnchorCertificates(trust, [authority] as CFArray)
        #expect(SecTrustEvaluateWithError(trust, nil))
        #expect(Set(item.keys) == ["identity", "chain", "label", "keyid", "trust"])
    }

    @Test
    func `a certificate and a key that are in a file twice are one identity`() throws {
        let files = try ExchangedFiles()
        let twice = files.text("alice.pem") + files.text("alice.pem")
        let file = try files.pkcs12(of: "twice.pem", password: "secret", adding: ["twice.pem": twice])
        let items = try #require(pkcs12(file, [kSecImportExportPassphrase: "secret"]).items)
        #expect(items.count == 1)
        #expect((items.first?["chain"] as? [SecCertificate])?.count == 1)
    }

    @Test
    func `an empty password opens no file, also one that has it`() throws {
        let files = try ExchangedFiles()
        let file = try files.pkcs12(of: "alice.pem", password: "")
        #expect(pkcs12(file, [kSecImportExportPassphrase: ""]).status == errSecAuthFailed)
        #expect(pkcs12(file, [:]).status == errSecAuthFailed)
    }

    @Test
    func `the status says what is wrong with a file or its passphrase, and nothing is given back`() throws {
        let file = try openFile(ExchangedFiles())
        let cases: [(Data, [CFString: Any], OSStatus)] = [
            (file, [:], errSecAuthFailed), (file, [kSecImportExportPassphrase: "wrong"], errSecAuthFailed),
            (file, [kSecImportExportPassphrase: ""], errSecAuthFailed),
            (file, [kSecImportExportPassphrase: 1], errSecParam),
            (Data(), [kSecImportExportPassphrase: "secret"], errSecParam),
            (Data("garbage".utf8), [kSecImportExportPassphrase: "secret"], errSecDecode),
            (Data(repeating: 0x30, count: 10_000), [kSecImportExportPassphrase: "secret"], errSecDecode),
        ]
        for (data, options, status) in cases {
            var items: CFArray? = NSArray()
            #expect(SecPKCS12Import(data as CFData, options as CFDictionary, &items) == status)
            #expect(items?.count == 0)
        }
    }

    @Test
    func `a file that was cut off anywhere is refused`() throws {
        let file = try openFile(ExchangedFiles())
        for count in stride(from: 1, to: file.count, by: 37) {
            let outcome = pkcs12(file.prefix(count), [kSecImportExportPassphrase: "secret"])
            #expect([errSecDecode, errSecAuthFailed].contains(outcome.status), "\(count)")
            #expect(outcome.items == nil)
            #expect(importing(file.prefix(count), passphrase: "secret").status != errSecSuccess, "\(count)")
        }
    }

    @Test
    func `a file that asks for a day's work is refused at once`() throws {
        let file = try ExchangedFiles().openssl(
            "pkcs12",
            "-export",
            "-inkey",
            "key.pem",
            "-in",
            "alice.pem",
            "-iter",
            "2048",
            "-macalg",
            "sha256",
            "-passout",
            "pass:secret"
        )
        // The last number is the MAC's count of iterations.
        try #require(file.suffix(4) == Data([0x02, 0x02, 0x08, 0x00]))
        var bytes = Array(file.dropLast(4)) + [0x02, 0x04, 0x7F, 0xFF, 0xFF, 0xFF]
        // Two bytes more in the outermost sequence, and in that of the MAC.
        #expect(pkcs12(Data(bytes), [kSecImportExportPassphrase: "secret"]).status == errSecDecode)
        let length = Int(bytes[2]) << 8 | Int(bytes[3])
        bytes[2] = UInt8((length + 2) >> 8)
        bytes[3] = UInt8((length + 2) & 0xFF)
        let mac = try #require(Data(bytes).range(of: Data([0x30, UInt8(0x41)]))?.lowerBound)
        bytes[mac + 1] += 2
        let outcome = pkcs12(Data(bytes), [kSecImportExportPassphrase: "secret"])
        #expect(outcome.status == errSecDecode)
        #expect(importing(Data(bytes), passphrase: "secret").status == errSecDecode)
    }

    @Test
    func `a file without a key has no identity, and its certificates are imported`() throws {
        let files = try ExchangedFiles()
        let file = try files.openssl(
            "pkcs12",
            "-export",
            "-nokeys",
            "-in",
            "alice.pem",
            "-certfile",
            "ca.pem",
            "-passout",
            "pass:secret"
        )
        let outcome = pkcs12(file, [kSecImportExportPassphrase: "secret"])
        #expect(outcome.status == errSecSuccess)
        #expect(outcome.items?.isEmpty == true)
        let imported = importing(file, passphrase: "secret")
        #expect(Set(imported.certificates) == [files.certificate, files.authority])
        #expect(imported.identities.isEmpty)
    }

    // MARK: - SecItemImport

    @Test(arguments: ExchangedFiles.Kind.allCases)
    func `each kind of file says what it is, and what is in it`(kind: ExchangedFiles.Kind) throws {
        let files = try ExchangedFiles(kind)
        let key = try #require(importing(files.key).keys.first)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let privateType = SecExternalItemType.itemTypePrivateKey
        let publicType = SecExternalItemType.itemTypePublicKey
        let isRSA = kind == .rsa
        let command = isRSA ? "rsa" : "ec"
        var cases: [(Data, SecExternalFormat, SecExternalItemType)] = [
            (files.certificate, .formatX509Cert, .itemTypeCertificate),
            (files.text("alice.pem"), .formatX509Cert, .itemTypeCertificate),
            (files.key, .formatBSAFE, privateType), (files.text("key.pem"), .formatBSAFE, privateType),
            (try files.openssl("pkey", "-in", "key.pem", "-pubout"), .formatOpenSSL, publicType),
            (try files.openssl("pkey", "-in", "key.pem", "-pubout", "-outform", "DER"), .formatOpenSSL, publicType),
            (
                try files.openssl("pkcs8", "-topk8", "-in", "key.pem", "-passout", "pass:secret"), .formatWrappedPKCS8,
                privateType
            ),
            (
                try files.openssl(
                    "pkcs8",
                    "-topk8",
                    "-in",
                    "key.pem",
                    "-passout",
                    "pass:secret",
                    "-outform",
                    "DER"
                ), .formatWrappedPKCS8, privateType
            ),
        ]
        if isRSA {
            cases += [
                (try files.openssl("rsa", "-in", "key.pem", "-traditional"), .formatOpenSSL, privateType),
                (
                    try files.openssl("rsa", "-in", "key.pem", "-traditional", "-outform", "DER"), .formatOpenSSL,
                    privateType
                ), (try files.openssl("rsa", "-in", "key.pem", "-RSAPublicKey_out"), .formatBSAFE, publicType),
                (
                    try files.openssl("rsa", "-in", "key.pem", "-RSAPublicKey_out", "-outform", "DER"), .formatBSAFE,
                    publicType
                ),
            ]
        } else {
            cases += [
                (try files.openssl("ec", "-in", "key.pem"), .formatOpenSSL, privateType),
                (try files.openssl("ec", "-in", "key.pem", "-outform", "DER"), .formatOpenSSL, privateType),
            ]
        }
        cases.append(
            (
                try files.openssl(
                    command,
                    "-in",
                    "key.pem",
                    "-aes128",
                    "-passout",
                    "pass:secret",
                    isRSA ? "-traditional" : "-text"
                ), .formatWrappedOpenSSL, privateType
            )
        )
        for (file, format, type) in cases {
            let imported = importing(file, passphrase: "secret")
            #expect(imported.status == errSecSuccess, "\(format)")
            #expect(imported.format == format && imported.type == type, "\(imported)")
            switch type {
            case .itemTypeCertificate: #expect(imported.certificates == [files.certificate])
            case .itemTypePrivateKey: #expect(imported.keys == [key])
            default: #expect(imported.keys == [publicKey])
            }
            // The same when it is said what it is; and not when it is said to be something else.
            #expect(importing(file, as: format, passphrase: "secret").status == errSecSuccess, "\(format)")
            let other = importing(file, as: format == .formatX509Cert ? .formatPKCS7 : .formatX509Cert)
            #expect(other.status != errSecSuccess && other.items == nil, "\(format)")
        }
    }

    @Test
    func `a file of many parts is read as a whole, whatever stands between them`() throws {
        let files = try ExchangedFiles()
        let text = ["request.pem", "key.pem", "alice.pem", "ca.pem"].map { files.text($0) }
        let whole = text.reduce(Data("Bag Attributes\n".utf8)) { $0 + Data("\nSome words\n".utf8) + $1 }
        let imported = importing(whole)
        #expect(imported.status == errSecSuccess)
        #expect(imported.format == .formatPEMSequence && imported.type == .itemTypeAggregate)
        #expect(imported.certificates == [files.certificate, files.authority])
        #expect(imported.keys == importing(files.key).keys)
        let bundle = try files.openssl("crl2pkcs7", "-nocrl", "-certfile", "alice.pem", "-certfile", "ca.pem")
        let der = try files.openssl(
            "crl2pkcs7",
            "-nocrl",
            "-certfile",
            "alice.pem",
            "-certfile",
            "ca.pem",
            "-outform",
            "DER"
        )
        for file in [bundle, der] {
            let imported = importing(file)
            #expect(imported.format == .formatPKCS7 && imported.type == .itemTypeAggregate)
            #expect(Set(imported.certificates) == [files.certificate, files.authority])
        }
        #expect(importing(files.text("request.pem")).status == errSecUnknownFormat)
    }

    @Test
    func `a PKCS 12 file gives its identity and its other certificates`() throws {
        let files = try ExchangedFiles()
        let file = try openFile(files)
        for name in [nil, "a.p12", "p12", "misleading.cer"] {
            let imported = importing(file, name: name, passphrase: Data("secret".utf8))
            #expect(imported.status == errSecSuccess)
            #expect(imported.format == .formatPKCS12 && imported.type == .itemTypeAggregate)
            #expect(imported.identities.count == 1)
            #expect(imported.certificates == [files.authority])
        }
        #expect(importing(file).status == errSecPassphraseRequired)
        #expect(importing(file, passphrase: "wrong").status == errSecPkcs12VerifyFailure)
    }

    @Test
    func `an encrypted key needs its passphrase`() throws {
        let files = try ExchangedFiles(.rsa)
        let wrapped = try files.openssl("pkcs8", "-topk8", "-in", "key.pem", "-passout", "pass:secret")
        let old = try files.openssl("rsa", "-in", "key.pem", "-traditional", "-aes256", "-passout", "pass:secret")
        for file in [wrapped, old] {
            #expect(importing(file).status == errSecPassphraseRequired)
            #expect(importing(file, passphrase: "wrong").status == errSecAuthFailed)
            #expect(importing(file, passphrase: "secret").status == errSecSuccess)
        }
        let two = files.text("key.pem") + files.text("key.pem")
        #expect(importing(two).keys.count == 2)
        #expect(importing(two, flags: .importOnlyOne).status == errSecMultiplePrivKeys)
        #expect(importing(files.text("key.pem"), flags: .importOnlyOne).status == errSecSuccess)
    }

    @Test
    func `what is none of these is of no known format, and the results are left alone`() throws {
        let files: [(Data, OSStatus)] = [
            (Data(), errSecParam), (Data([1]), errSecUnknownFormat), (Data("garbage".utf8), errSecUnknownFormat),
            (Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8), errSecDecode),
            (Data("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8), errSecDecode),
            (Data(repeating: 0x30, count: 100_000), errSecUnknownFormat),
            (Data(count: 11 << 20), errSecDataTooLarge),
        ]
        for (file, status) in files {
            var items: CFArray? = NSArray()
            var format = SecExternalFormat.formatUnknown
            var type = SecExternalItemType.itemTypeSessionKey
            #expect(SecItemImport(file as CFData, nil, &format, &type, [], nil, nil, &items) == status)
            #expect(items?.count == 0 && format == .formatUnknown && type == .itemTypeSessionKey)
        }
        // Nobody has to want anything back.
        let certificate = try ExchangedFiles().certificate as CFData
        #expect(SecItemImport(certificate, nil, nil, nil, [], nil, nil, nil) == errSecSuccess)
    }
}
