import Foundation
import KeychainExchange
import KeychainModel
import Testing

/// What other programs write, read.
@Suite struct PKCS12ReadingTests {
    static let encryptions = [
        "PBE-SHA1-RC2-40", "PBE-SHA1-RC2-128", "PBE-SHA1-3DES", "PBE-SHA1-2DES", "AES-128-CBC", "AES-192-CBC",
        "AES-256-CBC", "DES-EDE3-CBC", "NONE",
    ]

    @Test(
        "Whatever OpenSSL encrypts keys and certificates with is read",
        arguments: zip(encryptions + encryptions.reversed(), encryptions + encryptions)
    )
    func openSSLEncryptions(keys: String, certificates: String) throws {
        let alice = try Alice()
        try alice.export(["-keypbe", keys, "-certpbe", certificates])
        try alice.expect(PKCS12Contents(reading: alice.bench.read("alice.p12"), password: SecretBytes("secret")))
    }

    @Test("Whatever OpenSSL authenticates with is read", arguments: ["sha1", "sha256", "sha384", "sha512"])
    func openSSLCodes(digest: String) throws {
        let alice = try Alice()
        try alice.export(["-macalg", digest, "-iter", "1000"])
        try alice.expect(PKCS12Contents(reading: alice.bench.read("alice.p12"), password: SecretBytes("secret")))
    }

    @Test(
        "What OpenSSL writes by default, and for old programs, is read",
        arguments: [[], ["-legacy"], ["-nomaciter"]]
    )
    func openSSLDefaults(options: [String]) throws {
        let alice = try Alice()
        try alice.export(options)
        let contents = try PKCS12Contents(reading: alice.bench.read("alice.p12"), password: SecretBytes("secret"))
        try alice.expect(contents)
        #expect(contents.keys.first?.friendlyName == "Alice's")
        #expect(contents.certificates.map(\.friendlyName) == ["Alice's", "The authority's"])
        #expect(contents.keys.first?.localKeyID != nil)
        #expect(contents.pairs() == [PKCS12Contents.Pair(key: 0, certificate: 0)])
    }

    @Test("Certificates without a key are read, and a key without certificates")
    func halves() throws {
        let alice = try Alice()
        try alice.bench.run(
            "openssl",
            "pkcs12",
            "-export",
            "-nokeys",
            "-in",
            "alice.pem",
            "-certfile",
            "authority.pem",
            "-passout",
            "pass:secret",
            "-out",
            "certificates.p12"
        )
        let certificates = try PKCS12Contents(
            reading: alice.bench.read("certificates.p12"),
            password: SecretBytes("secret")
        )
        #expect(certificates.keys.isEmpty)
        #expect(certificates.certificates.map(\.der) == [alice.certificate, alice.authority])
        try alice.bench.run(
            "openssl",
            "pkcs12",
            "-export",
            "-nocerts",
            "-inkey",
            "alice.key",
            "-passout",
            "pass:secret",
            "-out",
            "key.p12"
        )
        let key = try PKCS12Contents(reading: alice.bench.read("key.p12"), password: SecretBytes("secret"))
        #expect(key.keys.map(\.privateKey.array) == [alice.privateKey])
        #expect(key.certificates.isEmpty && key.pairs().isEmpty)
    }

    @Test(
        "A password of any characters opens what it was used for",
        arguments: ["p\u{E4}\u{DF}", "\u{3C3}\u{3CD}\u{3BD}\u{3B8}\u{3B7}\u{3BC}\u{3B1}", "key \u{1F511}", "a"],
        [[], ["-legacy"]]
    )
    func passwords(password: String, options: [String]) throws {
        let alice = try Alice()
        try alice.export(options, password: password)
        let bytes = try alice.bench.read("alice.p12")
        try alice.expect(PKCS12Contents(reading: bytes, password: SecretBytes(password)))
        for wrong in [password + "a", password.uppercased() + " ", String(password.dropLast())] {
            #expect(throws: KeychainError(.authenticationFailed, "")) {
                try PKCS12Contents(reading: bytes, password: SecretBytes(wrong))
            }
        }
    }

    @Test("An empty password and none open the same", arguments: [[], ["-legacy"]])
    func emptyPassword(options: [String]) throws {
        let alice = try Alice()
        try alice.export(options, password: "")
        let bytes = try alice.bench.read("alice.p12")
        try alice.expect(PKCS12Contents(reading: bytes, password: SecretBytes("")))
        try alice.expect(PKCS12Contents(reading: bytes, password: nil))
        #expect(throws: KeychainError(.authenticationFailed, "")) {
            try PKCS12Contents(reading: bytes, password: SecretBytes("secret"))
        }
    }

    @Test(
        "What GnuTLS writes is read (needs certtool)",
        .enabled(if: Workbench.has("certtool"), "scripts/setup.sh --tests installs certtool"),
        arguments: zip(
            ["3des-pkcs12", "rc2-40", "3des", "aes-128", "aes-192", "aes-256"],
            [["--password", "secret"], ["--empty-password"], ["--null-password"]].repeated
        )
    )
    func gnuTLS(cipher: String, password: [String]) throws {
        let alice = try Alice()
        try alice.bench.run(
            [
                "certtool", "--to-p12", "--load-privkey", "alice.key", "--load-certificate", "alice.pem", "--p12-name",
                "Alice's", "--pkcs-cipher", cipher, "--outder", "--outfile", "alice.p12",
            ] + password
        )
        let contents = try PKCS12Contents(
            reading: alice.bench.read("alice.p12"),
            password: password.count > 1 ? SecretBytes("secret") : nil
        )
        #expect(contents.keys.map(\.privateKey.array) == [alice.privateKey])
        #expect(contents.certificates.map(\.der) == [alice.certificate])
        #expect(contents.keys.first?.friendlyName == "Alice's")
        #expect(contents.pairs().count == 1)
    }

    @Test(
        "What Java writes is read (needs keytool)",
        .enabled(if: Workbench.has("keytool"), "no JDK is installed"),
        arguments: [[], ["-J-Dkeystore.pkcs12.legacy=true"]]
    )
    func java(options: [String]) throws {
        let bench = try Workbench()
        try bench.run(
            [
                "keytool", "-genkeypair", "-keystore", "j.p12", "-storetype", "PKCS12", "-storepass", "secret",
                "-keyalg",
                "EC", "-groupname", "secp256r1", "-alias", "alice", "-dname", "CN=Alice",
            ] + options
        )
        let contents = try PKCS12Contents(reading: bench.read("j.p12"), password: SecretBytes("secret"))
        try bench.run(
            "openssl",
            "pkcs12",
            "-legacy",
            "-in",
            "j.p12",
            "-passin",
            "pass:secret",
            "-nodes",
            "-nocerts",
            "-out",
            "k.pem"
        )
        try bench.run("openssl", "pkcs8", "-topk8", "-nocrypt", "-in", "k.pem", "-outform", "DER", "-out", "k.p8")
        #expect(try contents.keys.map(\.privateKey.array) == [bench.read("k.p8")])
        #expect(contents.keys.first?.friendlyName == "alice")
        #expect(contents.pairs() == [PKCS12Contents.Pair(key: 0, certificate: 0)])
    }

    @Test(
        "What NSS writes, in BER of lengths that are not said, is read (needs pk12util)",
        .enabled(if: Workbench.has("pk12util"), "scripts/setup.sh --tests installs pk12util")
    )
    func nss() throws {
        let alice = try Alice()
        try alice.export([])
        let bench = alice.bench
        try bench.run("mkdir", "db")
        try bench.run("certutil", "-N", "-d", "sql:db", "--empty-password")
        try bench.run("pk12util", "-i", "alice.p12", "-d", "sql:db", "-W", "secret", "-K", "")
        let legacy = ["-c", "PKCS #12 V2 PBE With SHA-1 And 3KEY Triple DES-CBC"]
        for options in [[], legacy] {
            try bench.run(
                ["pk12util", "-o", "nss.p12", "-n", "Alice's", "-d", "sql:db", "-W", "secret", "-K", ""] + options
            )
            let bytes = try bench.read("nss.p12")
            #expect(bytes.starts(with: [0x30, 0x80]))
            let contents = try PKCS12Contents(reading: bytes, password: SecretBytes("secret"))
            #expect(contents.keys.map(\.privateKey.array) == [alice.privateKey])
            #expect(contents.certificates.map(\.der).contains(alice.certificate))
            #expect(contents.pairs().count == 1)
        }
    }

    struct Vector: Sendable, CustomStringConvertible {
        let name: String
        var password: String? = "cryptography"
        var keys = 1
        var certificates = 1
        var description: String { name }
    }

    /// See Vectors/README.md.
    static let vectors = [
        Vector(name: "cert-aes256cbc-no-key", keys: 0),
        Vector(name: "cert-key-aes256cbc"),
        Vector(name: "cert-none-key-none"),
        Vector(name: "cert-rc2-key-3des"),
        Vector(name: "java-truststore", password: "", keys: 0, certificates: 2),
        Vector(name: "name-all-pwd", password: "password", certificates: 3),
        Vector(name: "name-unicode-pwd", password: "password", certificates: 3),
        Vector(name: "name-unicode-no-pwd", password: nil, certificates: 3),
        Vector(name: "no-password", password: nil),
        Vector(name: "pkits", password: "password"),
        Vector(name: "rfc9579", password: "1234"),
    ]

    @Test("Files that others have published are read", arguments: vectors)
    func published(file: Vector) throws {
        let contents = try PKCS12Contents(
            reading: vector(file.name + ".p12"),
            password: file.password.map { SecretBytes($0) }
        )
        #expect(contents.keys.count == file.keys)
        #expect(contents.certificates.count == file.certificates)
        if file.name.contains("unicode") {
            #expect(contents.certificates.compactMap(\.friendlyName).sorted() == ["\u{E4}", "\u{E7}", "\u{263A}"])
        }
        #expect(throws: KeychainError(.authenticationFailed, "")) {
            try PKCS12Contents(reading: vector(file.name + ".p12"), password: SecretBytes("wrong"))
        }
    }

    @Test("An algorithm that is not known is said to be so", arguments: ["PBE-SHA1-RC4-128", "CAMELLIA-128-CBC"])
    func unknownAlgorithm(name: String) throws {
        let alice = try Alice()
        try alice.export(["-keypbe", name])
        #expect(throws: KeychainError(.unimplemented, "")) {
            try PKCS12Contents(reading: alice.bench.read("alice.p12"), password: SecretBytes("secret"))
        }
    }

    @Test("A file without a MAC is refused")
    func noCode() throws {
        let alice = try Alice()
        try alice.export(["-nomac"])
        #expect(throws: KeychainError(.undecodable, "")) {
            try PKCS12Contents(reading: alice.bench.read("alice.p12"), password: SecretBytes("secret"))
        }
    }

    @Test("A password that is no text is refused, and one of many bytes")
    func badPasswords() throws {
        for bytes in [[0xFF], [UInt8](repeating: 0x61, count: 5000)] {
            #expect(throws: KeychainError(.invalidParameter, "")) {
                try PKCS12Contents(reading: vector("no-password.p12"), password: SecretBytes(bytes))
            }
        }
    }

    @Test("Keys find their certificates by the keys themselves before they do by what the file says")
    func pairs() {
        let one = SecretBytes([1])
        let contents = PKCS12Contents(
            keys: [
                .init(privateKey: one, localKeyID: [7]), .init(privateKey: one),
                .init(privateKey: one, localKeyID: [8]),
            ],
            certificates: [
                .init(der: [0], localKeyID: [7]), .init(der: [1]), .init(der: [2], localKeyID: [8]),
                .init(der: [3], localKeyID: [8]),
            ]
        )
        typealias Pair = PKCS12Contents.Pair
        #expect(contents.pairs() == [Pair(key: 0, certificate: 0), Pair(key: 2, certificate: 2)])
        #expect(contents.pairs { _, certificate in certificate.der == [1] }.map(\.certificate) == [1, 1, 1])
        #expect(contents.pairs { _, _ in false }.isEmpty)
        #expect(
            contents.pairs { key, certificate in certificate.der == [2] ? false : nil }
                == [Pair(key: 0, certificate: 0), Pair(key: 2, certificate: 3)]
        )
    }
}

extension Alice {
    /// Has OpenSSL write alice.p12.
    func export(_ options: [String], password: String = "secret") throws {
        try bench.run(
            [
                "openssl", "pkcs12", "-export", "-provider", "legacy", "-provider", "default", "-inkey", "alice.key",
                "-in",
                "alice.pem", "-certfile", "authority.pem", "-name", "Alice's", "-caname", "The authority's", "-passout",
                "pass:" + password, "-out", "alice.p12",
            ] + options
        )
    }

    func expect(_ contents: PKCS12Contents) throws {
        #expect(contents.keys.map(\.privateKey.array) == [privateKey])
        #expect(contents.certificates.map(\.der) == [certificate, authority])
    }
}

extension Array {
    /// All elements, and all of them once more.
    fileprivate var repeated: [Element] { self + self }
}
