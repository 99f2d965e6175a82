import Foundation
import KeychainModel
import Testing

@testable import KeychainExchange

/// What is written here, read by other programs.
@Suite struct PKCS12WritingTests {
    static let protections: [(PKCS12Protection, [String])] = [
        (.current(iterations: 2048), []), (.legacy(iterations: 2048), ["-legacy"]),
    ]

    private static func contents(of alice: Alice) -> PKCS12Contents {
        PKCS12Contents(
            keys: [
                .init(
                    privateKey: SecretBytes(alice.privateKey),
                    friendlyName: "Alice \u{1F511}",
                    localKeyID: [1, 2, 3]
                )
            ],
            certificates: [
                .init(der: alice.certificate, friendlyName: "Alice \u{1F511}", localKeyID: [1, 2, 3]),
                .init(der: alice.authority),
            ]
        )
    }

    @Test("OpenSSL reads what is written", arguments: protections)
    func openSSL(protection: PKCS12Protection, options: [String]) throws {
        let alice = try Alice()
        let bytes = try Self.contents(of: alice).encoded(password: SecretBytes("p\u{E4}\u{DF}"), protection: protection)
        try alice.bench.write(bytes, "written.p12")
        let read = ["openssl", "pkcs12", "-in", "written.p12", "-passin", "pass:p\u{E4}\u{DF}", "-nodes"] + options
        try alice.bench.run(read + ["-nocerts", "-out", "key.pem"])
        try alice.bench.run(
            "openssl",
            "pkcs8",
            "-topk8",
            "-nocrypt",
            "-in",
            "key.pem",
            "-outform",
            "DER",
            "-out",
            "k.p8"
        )
        #expect(try alice.bench.read("k.p8") == alice.privateKey)
        try alice.bench.run(read + ["-nokeys", "-clcerts", "-out", "c.pem"])
        #expect(try unarmoured(alice.bench.read("c.pem")) == alice.certificate)
        try alice.bench.run(read + ["-nokeys", "-cacerts", "-out", "a.pem"])
        #expect(try unarmoured(alice.bench.read("a.pem")) == alice.authority)
        #expect(try alice.bench.run(read).contains("localKeyID: 01 02 03"))
        let info = try alice.bench.run(read + ["-info", "-noout"])
        let expected =
            options.isEmpty
            ? ["MAC: sha256, Iteration 2048", "PBES2, PBKDF2, AES-256-CBC, Iteration 2048, PRF hmacWithSHA256"]
            : ["MAC: sha1, Iteration 2048", "pbeWithSHA1And3-KeyTripleDES-CBC, Iteration 2048"]
        for text in expected { #expect(info.contains(text)) }
        #expect(throws: Workbench.Failure.self) {
            try alice.bench.run(
                ["openssl", "pkcs12", "-in", "written.p12", "-passin", "pass:wrong", "-nodes"] + options
            )
        }
    }

    @Test(
        "GnuTLS reads what is written (needs certtool)",
        .enabled(if: Workbench.has("certtool"), "scripts/setup.sh --tests installs certtool"),
        arguments: protections
    )
    func gnuTLS(protection: PKCS12Protection, options: [String]) throws {
        let alice = try Alice()
        let bytes = try Self.contents(of: alice).encoded(password: SecretBytes("secret"), protection: protection)
        try alice.bench.write(bytes, "written.p12")
        let output = try alice.bench.run(
            "certtool",
            "--p12-info",
            "--inder",
            "--infile",
            "written.p12",
            "--password",
            "secret"
        )
        #expect(output.contains("BEGIN ENCRYPTED PRIVATE KEY") || output.contains("BEGIN PRIVATE KEY"))
        #expect(output.components(separatedBy: "-----BEGIN CERTIFICATE-----").count == 3)
        #expect(throws: Workbench.Failure.self) {
            try alice.bench.run("certtool", "--p12-info", "--inder", "--infile", "written.p12", "--password", "wrong")
        }
    }

    @Test(
        "Java reads what is written (needs keytool)",
        .enabled(if: Workbench.has("keytool"), "no JDK is installed"),
        arguments: protections
    )
    func java(protection: PKCS12Protection, options: [String]) throws {
        let alice = try Alice()
        let bytes = try Self.contents(of: alice).encoded(password: SecretBytes("secret"), protection: protection)
        try alice.bench.write(bytes, "written.p12")
        let output = try alice.bench.run("keytool", "-list", "-keystore", "written.p12", "-storepass", "secret")
        #expect(output.contains("PrivateKeyEntry"))
    }

    @Test(
        "NSS reads what is written (needs pk12util)",
        .enabled(if: Workbench.has("pk12util"), "scripts/setup.sh --tests installs pk12util"),
        arguments: protections
    )
    func nss(protection: PKCS12Protection, options: [String]) throws {
        let alice = try Alice()
        let bytes = try Self.contents(of: alice).encoded(password: SecretBytes("secret"), protection: protection)
        try alice.bench.write(bytes, "written.p12")
        try alice.bench.run("mkdir", "db")
        try alice.bench.run("certutil", "-N", "-d", "sql:db", "--empty-password")
        try alice.bench.run("pk12util", "-i", "written.p12", "-d", "sql:db", "-W", "secret", "-K", "")
        #expect(try alice.bench.run("certutil", "-K", "-d", "sql:db").contains("Alice"))
    }

    @Test("What is written is read back, with any password", arguments: protections, ["", "secret", "\u{1F511}"])
    func roundTrip(written: (PKCS12Protection, [String]), password: String) throws {
        let alice = try Alice()
        let bytes = try Self.contents(of: alice).encoded(password: SecretBytes(password), protection: written.0)
        let contents = try PKCS12Contents(reading: bytes, password: SecretBytes(password))
        try alice.expect(contents)
        #expect(contents.keys.first?.friendlyName == "Alice \u{1F511}")
        #expect(contents.keys.first?.localKeyID == [1, 2, 3])
        #expect(contents.certificates.map(\.friendlyName) == ["Alice \u{1F511}", nil])
        #expect(contents.pairs() == [PKCS12Contents.Pair(key: 0, certificate: 0)])
    }

    @Test("Two files of the same things have nothing in common that was chosen at random")
    func randomness() throws {
        let contents = PKCS12Contents(keys: [.init(privateKey: SecretBytes(privateKeyLike))])
        let protection = PKCS12Protection.current(iterations: 1)
        let one = try contents.encoded(password: SecretBytes("secret"), protection: protection)
        let other = try contents.encoded(password: SecretBytes("secret"), protection: protection)
        #expect(one != other)
        // The salt of the MAC is the last but one: eight bytes, then the iterations.
        #expect(one.suffix(11) != other.suffix(11))
    }

    @Test("Without being told, as many iterations are made as OWASP asks for, and many keys are still readable")
    func iterations() throws {
        let key = PKCS12Contents.Key(privateKey: SecretBytes(privateKeyLike))
        let one = try PKCS12Contents(keys: [key]).encoded(password: SecretBytes("secret"))
        // 600,000 is 0927C0.
        #expect(one.suffix(5) == [0x02, 0x03, 0x09, 0x27, 0xC0])
        for count in [0, 1, 14, 15, 40, 200, 1000, 5000] {
            for protection in [PKCS12Protection.current(), .legacy()] {
                let iterations = protection.iterations(forKeys: count)
                #expect(throws: Never.self) { try PKCS12Contents.checkWork(of: count, iterations, protection) }
                #expect(count > 14 || iterations >= 100_000)
            }
        }
    }

    @Test("What nobody could read is not written")
    func limits() {
        let key = PKCS12Contents.Key(privateKey: SecretBytes(privateKeyLike))
        let refused: [(PKCS12Contents, PKCS12Protection)] = [
            (PKCS12Contents(), .current(iterations: 10_000_001)), (PKCS12Contents(), .current(iterations: 0)),
            (PKCS12Contents(keys: [key, key, key]), .current(iterations: 9_000_000)),
            (PKCS12Contents(keys: [key]), .legacy(iterations: 4_000_000)),
            (
                PKCS12Contents(certificates: Array(repeating: .init(der: [0x30, 0x00]), count: 9_999)),
                .current(iterations: 1)
            ),
            (PKCS12Contents(certificates: [.init(der: Array(repeating: 0, count: 10 << 20))]), .current(iterations: 1)),
            (PKCS12Contents(keys: [.init(privateKey: SecretBytes("no key"))]), .current(iterations: 1)),
        ]
        for (contents, protection) in refused {
            #expect(throws: KeychainError(.invalidParameter, "")) {
                try contents.encoded(password: SecretBytes("secret"), protection: protection)
            }
        }
    }
}
