import Foundation
import KeychainExchange
import KeychainModel
import KeychainTestSupport
import Testing

@Suite struct PEMTests {
    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("All blocks of a file are read, in their order, whatever stands between them")
    func sequence() throws {
        let alice = try Alice()
        let text = """
            Bag Attributes: friendlyName: -----BEGIN not at the start of a line-----
            \(String(decoding: try alice.bench.read("alice.pem"), as: UTF8.self))
            subject=/CN=Alice
            \(String(decoding: try alice.bench.read("alice.key"), as: UTF8.self))
            -----END NOTHING-----
            \(String(decoding: try alice.bench.read("authority.pem"), as: UTF8.self))
            """
        let blocks = try PEM.blocks(in: Self.text(text))
        #expect(blocks.map(\.kind) == [.certificate, .privateKey, .certificate])
        #expect(blocks.map(\.bytes) == [alice.certificate, alice.privateKey, alice.authority])
        #expect(try PEM.blocks(in: Self.text("nothing here\n")).isEmpty)
        #expect(try PEM.blocks(in: []).isEmpty)
    }

    @Test("Each label is known by what it says")
    func labels() throws {
        let labels: [(String, PEMBlock.Kind)] = [
            ("CERTIFICATE", .certificate), ("X509 CERTIFICATE", .certificate), ("PRIVATE KEY", .privateKey),
            ("ENCRYPTED PRIVATE KEY", .encryptedPrivateKey), ("RSA PRIVATE KEY", .rsaPrivateKey),
            ("EC PRIVATE KEY", .ellipticCurvePrivateKey), ("PUBLIC KEY", .publicKey), ("RSA PUBLIC KEY", .rsaPublicKey),
            ("PKCS7", .pkcs7), ("CMS", .pkcs7), ("CERTIFICATE REQUEST", .certificateRequest),
            ("NEW CERTIFICATE REQUEST", .certificateRequest), ("EC PARAMETERS", .other("EC PARAMETERS")),
            ("", .other("")),
        ]
        for (label, kind) in labels {
            let blocks = try PEM.blocks(in: Self.text("-----BEGIN \(label)-----\nAQID\n-----END \(label)-----\n"))
            #expect(blocks.map(\.kind) == [kind])
            #expect(blocks.map(\.bytes) == [[1, 2, 3]])
        }
    }

    @Test(
        "What programs write and RFC 7468 does not is read, but not where it is asked for strictly",
        arguments: [
            "-----BEGIN X-----\r\nAQID\r\nBAUG\r\n-----END X-----", "-----BEGIN X-----\nAQ\nIDBAUG\n-----END X-----\n",
            "  -----BEGIN X-----  \n\t AQID \n\nBAUG\n  -----END X-----\t\n",
            "text\n-----BEGIN X-----\nAQIDBAUG\n-----END X-----",
            "-----BEGIN X-----\nComment: a\n\nAQIDBAUG\n-----END X-----",
            "\u{FEFF}-----BEGIN X-----\nAQIDBAUG\n-----END X-----",
            "-----BEGIN X-----\nAQIDBAUG\n-----END X-----\ntext",
        ]
    )
    func lax(text: String) throws {
        #expect(try PEM.blocks(in: Self.text(text)).map(\.bytes) == [[1, 2, 3, 4, 5, 6]])
        if text.contains("\r\n") {
            // Lines of other lengths are all that is wrong with it.
            let whole = text.replacing("\r\nB", with: "B")
            #expect(try PEM.blocks(in: Self.text(whole), .strict).map(\.bytes) == [[1, 2, 3, 4, 5, 6]])
        }
        #expect(throws: KeychainError(.undecodable, "")) { try PEM.blocks(in: Self.text(text), .strict) }
    }

    @Test(
        "Blocks that do not end as they begin, and what is no base64, are refused",
        arguments: [
            "-----BEGIN X-----", "-----BEGIN X-----\nAQID\n", "-----BEGIN X-----\nAQID\n-----END Y-----",
            "-----BEGIN X-----\n-----BEGIN X-----\nAQID\n-----END X-----", "-----BEGIN X-----\nAQI\n-----END X-----",
            "-----BEGIN X-----\nAQ=D\n-----END X-----", "-----BEGIN X-----\nAQID=\n-----END X-----",
            "-----BEGIN X-----\nAR==\n-----END X-----", "-----BEGIN X-----\nAQJ=\n-----END X-----",
            "-----BEGIN X-----\nAQ==AQ==\n-----END X-----", "-----BEGIN X-----\nA-_D\n-----END X-----",
            "-----BEGIN X-----\nA\0QI\n-----END X-----", "-----BEGIN X-----\nA===\n-----END X-----",
            "-----BEGIN X-----\n====\n-----END X-----", "-----BEGIN X-----\nAQID\nComment: a\n-----END X-----",
        ]
    )
    func malformed(text: String) {
        #expect(throws: KeychainError(.undecodable, "")) { try PEM.blocks(in: Self.text(text)) }
    }

    @Test("A file that ends anywhere within a block is refused")
    func truncated() throws {
        let whole = PEM.encode(.certificate, [UInt8](0...200))
        // The last line may do without its end.
        for count in 28..<(whole.count - 1) {
            #expect(throws: KeychainError(.undecodable, "")) { try PEM.blocks(in: Array(whole.prefix(count))) }
        }
    }

    @Test("Bytes of any number are written and read back, strictly")
    func roundTrip() throws {
        for count in [1, 2, 3, 47, 48, 49, 95, 96, 1000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let text = PEM.encode(.pkcs7, bytes)
            #expect(try PEM.blocks(in: text, .strict).map(\.bytes) == [bytes])
            #expect(try unarmoured(text) == bytes)
            #expect(PEM.encode(.pkcs7, secret: SecretBytes(bytes)).array == text)
            #expect(text.split(separator: UInt8(ascii: "\n")).allSatisfy { $0.count <= 64 })
        }
    }

    @Test("OpenSSL reads what is written")
    func openSSL() throws {
        let alice = try Alice()
        try alice.bench.write(PEM.encode(.certificate, alice.certificate), "c.pem")
        #expect(try alice.bench.run("openssl", "x509", "-in", "c.pem", "-noout", "-subject").contains("Alice"))
        try alice.bench.write(PEM.encode(.privateKey, secret: SecretBytes(alice.privateKey)).array, "k.pem")
        try alice.bench.run("openssl", "pkey", "-in", "k.pem", "-check", "-noout")
    }

    @Test("Files of more bytes and blocks than anybody has are refused")
    func sizes() {
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try PEM.blocks(in: [UInt8](repeating: 0x41, count: 10 << 20 + 1))
        }
        let block = "-----BEGIN X-----\n-----END X-----\n"
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try PEM.blocks(in: Self.text(String(repeating: block, count: 10_001)))
        }
        let header = String(repeating: "a: b\n", count: 101)
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try PEM.blocks(in: Self.text("-----BEGIN X-----\n\(header)\nAQID\n-----END X-----"))
        }
    }

    // MARK: - Private keys

    @Test(
        "A private key in any of its forms becomes the PrivateKeyInfo that OpenSSL makes of it",
        arguments: [
            ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"], ["EC", "-pkeyopt", "ec_paramgen_curve:P-521"],
            ["RSA", "-pkeyopt", "rsa_keygen_bits:1024"],
        ]
    )
    func privateKeys(kind: [String]) throws {
        let bench = try Workbench()
        try bench.run(["openssl", "genpkey", "-out", "k.pem", "-algorithm"] + kind)
        try bench.run("openssl", "pkcs8", "-topk8", "-nocrypt", "-in", "k.pem", "-outform", "DER", "-out", "k.p8")
        let expected = try bench.read("k.p8")
        func expect(_ file: String, _ kind: PEMBlock.Kind, password: String? = nil) throws {
            let block = try #require(PEM.blocks(in: bench.read(file)).last)
            #expect(block.kind == kind)
            #expect(block.isEncrypted == (password != nil))
            #expect(try block.privateKey(password: password.map { SecretBytes($0) }).array == expected)
            guard password != nil else { return }
            for wrong in [SecretBytes("wrong"), nil] {
                #expect(throws: KeychainError(.authenticationFailed, "")) { try block.privateKey(password: wrong) }
            }
        }
        try expect("k.pem", .privateKey)
        let own: PEMBlock.Kind = kind.first == "RSA" ? .rsaPrivateKey : .ellipticCurvePrivateKey
        try bench.run("openssl", "pkey", "-in", "k.pem", "-traditional", "-out", "own.pem")
        try expect("own.pem", own)
        try bench.run("openssl", "pkcs8", "-topk8", "-in", "k.pem", "-passout", "pass:secret", "-out", "e.pem")
        try expect("e.pem", .encryptedPrivateKey, password: "secret")
        for cipher in ["-aes128", "-aes192", "-aes256", "-des3"] {
            try bench.run(
                "openssl",
                "pkey",
                "-in",
                "k.pem",
                "-traditional",
                cipher,
                "-passout",
                "pass:p\u{E4}\u{DF}",
                "-out",
                "o.pem"
            )
            try expect("o.pem", own, password: "p\u{E4}\u{DF}")
        }
        try bench.run(
            "openssl",
            "pkey",
            "-provider",
            "legacy",
            "-provider",
            "default",
            "-in",
            "k.pem",
            "-traditional",
            "-des",
            "-passout",
            "pass:secret",
            "-out",
            "o.pem"
        )
        #expect(throws: KeychainError(.unimplemented, "")) {
            try #require(PEM.blocks(in: bench.read("o.pem")).last).privateKey(password: SecretBytes("secret"))
        }
    }

    @Test(
        "Keys that others encrypted in the old way are read",
        arguments: [("key1", "123456"), ("key2", "a123456"), ("testrsa-encrypted", "password")]
    )
    func publishedKeys(name: String, password: String) throws {
        let block = try #require(PEM.blocks(in: vector("pem/\(name).pem")).first)
        let bench = try Workbench()
        try bench.write(vector("pem/\(name).pem"), "o.pem")
        try bench.run(
            "openssl",
            "pkcs8",
            "-topk8",
            "-nocrypt",
            "-in",
            "o.pem",
            "-passin",
            "pass:" + password,
            "-out",
            "k.pem"
        )
        #expect(try block.privateKey(password: SecretBytes(password)).array == unarmoured(bench.read("k.pem")))
    }

    @Test(
        "Blocks that do not say how they are encrypted, or not so that it makes sense, are refused",
        arguments: ["key1-malformed-dek-info", "key1-malformed-iv", "key1-no-dek-info", "key1-short-iv"]
    )
    func publishedMalformed(name: String) throws {
        let block = try #require(PEM.blocks(in: vector("pem/\(name).pem")).first)
        #expect(block.isEncrypted)
        #expect(throws: KeychainError(.undecodable, "")) { try block.privateKey(password: SecretBytes("123456")) }
    }

    @Test("What is labelled as a key and is none is refused, and what is labelled as something else")
    func noKeys() throws {
        let number = der(0x02, [1])
        let integers = { (count: Int) in (0..<count).flatMap { _ in number } }
        let curve = der(0xA0, der(0x06, [0x2A, 0x03]))
        let attempts: [(String, [UInt8])] = [
            ("PRIVATE KEY", [1, 2, 3]), ("PRIVATE KEY", der(0x30, number)), ("RSA PRIVATE KEY", privateKeyLike),
            // Eight numbers, ten, and a version of several primes.
            ("RSA PRIVATE KEY", der(0x30, der(0x02, [0]) + integers(7))),
            ("RSA PRIVATE KEY", der(0x30, der(0x02, [0]) + integers(9))), ("RSA PRIVATE KEY", der(0x30, integers(9))),
            // No curve, no key, another version.
            ("EC PRIVATE KEY", der(0x30, number + der(0x04, [1]))),
            ("EC PRIVATE KEY", der(0x30, number + der(0x04, []) + curve)),
            ("EC PRIVATE KEY", der(0x30, der(0x02, [2]) + der(0x04, [1]) + curve)),
            ("EC PRIVATE KEY", der(0x30, number + der(0x04, [1]) + der(0xA0, der(0x30, [])))),
        ]
        for (label, bytes) in attempts {
            let block = try #require(PEM.blocks(in: PEM.encode(.other(label), bytes)).first)
            #expect(throws: KeychainError(.undecodable, ""), "\(label), \(bytes)") { try block.privateKey() }
        }
        let certificate = try #require(PEM.blocks(in: PEM.encode(.certificate, [1])).first)
        #expect(throws: KeychainError(.invalidParameter, "")) { try certificate.privateKey() }
    }
}
