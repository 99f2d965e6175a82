import Foundation
import KeychainExchange
import KeychainModel
import KeychainTestSupport
import Testing

@Suite struct PKCS8Tests {
    @Test(
        "Whatever OpenSSL encrypts a key with is read",
        arguments: [
            ["-v2", "aes-128-cbc"], ["-v2", "aes-192-cbc"], ["-v2", "aes-256-cbc"], ["-v2", "des3"], ["-scrypt"],
            ["-v2", "aes-256-cbc", "-v2prf", "hmacWithSHA1"], ["-v2", "aes-256-cbc", "-v2prf", "hmacWithSHA224"],
            ["-v2", "aes-256-cbc", "-v2prf", "hmacWithSHA384"], ["-v2", "aes-256-cbc", "-v2prf", "hmacWithSHA512"],
            ["-v1", "PBE-SHA1-3DES"], ["-v1", "PBE-SHA1-2DES"], ["-v1", "PBE-SHA1-RC2-128"],
            ["-v1", "PBE-SHA1-RC2-40"],
        ]
    )
    func openSSL(options: [String]) throws {
        let alice = try Alice()
        try alice.bench.run(
            [
                "openssl", "pkcs8", "-provider", "legacy", "-provider", "default", "-topk8", "-in", "alice.key",
                "-outform",
                "DER", "-passout", "pass:secret", "-out", "e.p8",
            ] + options
        )
        let bytes = try alice.bench.read("e.p8")
        #expect(try EncryptedPrivateKeyInfo.open(bytes, password: SecretBytes("secret")).array == alice.privateKey)
        for wrong in [SecretBytes("Secret"), SecretBytes(""), nil] {
            #expect(throws: KeychainError(.authenticationFailed, "")) {
                try EncryptedPrivateKeyInfo.open(bytes, password: wrong)
            }
        }
    }

    @Test("OpenSSL reads what is written", arguments: ["secret", "p\u{E4}\u{DF}"])
    func writing(password: String) throws {
        let alice = try Alice()
        let bytes = try EncryptedPrivateKeyInfo.seal(
            SecretBytes(alice.privateKey),
            password: SecretBytes(password),
            iterations: 2048
        )
        try alice.bench.write(bytes, "e.p8")
        try alice.bench.run(
            "openssl",
            "pkcs8",
            "-inform",
            "DER",
            "-in",
            "e.p8",
            "-passin",
            "pass:" + password,
            "-outform",
            "DER",
            "-out",
            "k.der"
        )
        try alice.bench.run(
            "openssl",
            "pkcs8",
            "-topk8",
            "-nocrypt",
            "-inform",
            "DER",
            "-in",
            "k.der",
            "-outform",
            "DER",
            "-out",
            "k.p8"
        )
        #expect(try alice.bench.read("k.p8") == alice.privateKey)
        #expect(try EncryptedPrivateKeyInfo.open(bytes, password: SecretBytes(password)).array == alice.privateKey)
    }

    @Test("A key that is written without a count of iterations has 600,000")
    func iterations() throws {
        let bytes = try EncryptedPrivateKeyInfo.seal(SecretBytes(privateKeyLike), password: SecretBytes("secret"))
        let number: [UInt8] = [0x02, 0x03, 0x09, 0x27, 0xC0]
        #expect(bytes.indices.contains { bytes[$0...].starts(with: number) })
        #expect(throws: KeychainError(.invalidParameter, "")) {
            try EncryptedPrivateKeyInfo.seal(SecretBytes([1]), password: SecretBytes("secret"), iterations: 1)
        }
    }

    struct Vector: Sendable, CustomStringConvertible {
        let name: String
        let password: String
        var failure: KeychainError.Code?
        var description: String { name }
    }

    /// See Vectors/README.md.
    static let vectors = [
        Vector(name: "ed25519-scrypt", password: "hunter42"),
        Vector(name: "enc-rsa-3des", password: "password"),
        Vector(name: "rsa-pbe-3des-long-salt", password: "password"),
        Vector(name: "ec_private_key_encrypted", password: "123456"),
        Vector(name: "pkcs12_s2k_pem-X_9607", password: "123456"),
        Vector(name: "pkcs12_s2k_pem-X_9671", password: "123456"),
        Vector(name: "rsa-40bitrc2", password: "baz"),
        Vector(name: "rsa-aes-192-cbc", password: "PolarSSLTest"),
        Vector(name: "rsa_pkcs8_pbes2_pbkdf2_2048_3des_sha224", password: "PolarSSLTest"),
        Vector(name: "rsa_pkcs8_pbes2_pbkdf2_2048_3des_sha384", password: "PolarSSLTest"),
        Vector(name: "rsa_pkcs8_pbes2_pbkdf2_2048_3des_sha512", password: "PolarSSLTest"),
        Vector(name: "enc-ec-sha1-128-rc4", password: "password", failure: .unimplemented),
        Vector(name: "rsa-pbewithmd5anddescbc", password: "hunter2", failure: .unimplemented),
        Vector(name: "rsa-rc2-cbc", password: "Red Hat Enterprise Linux 7.4", failure: .unimplemented),
        Vector(name: "enc-unknown-algorithm", password: "password", failure: .unimplemented),
        Vector(name: "enc-unknown-kdf", password: "password", failure: .unimplemented),
        Vector(name: "enc-unknown-pbkdf2-prf", password: "password", failure: .unimplemented),
        Vector(name: "bad-encryption-oid", password: "password", failure: .unimplemented),
        Vector(name: "enc-rsa-pkcs8-pbkdf2-0iter", password: "password", failure: .undecodable),
    ]

    @Test("Keys that others have published are read, or refused with the reason", arguments: vectors)
    func published(file: Vector) throws {
        let bytes = try unarmoured(vector("pkcs8/\(file.name).pem"))
        if let failure = file.failure {
            #expect(throws: KeychainError(failure, "")) {
                try EncryptedPrivateKeyInfo.open(bytes, password: SecretBytes(file.password))
            }
            return
        }
        let bench = try Workbench()
        try bench.write(vector("pkcs8/\(file.name).pem"), "e.pem")
        try bench.run(
            "openssl",
            "pkcs8",
            "-provider",
            "legacy",
            "-provider",
            "default",
            "-in",
            "e.pem",
            "-passin",
            "pass:" + file.password,
            "-out",
            "k.pem"
        )
        let key = try EncryptedPrivateKeyInfo.open(bytes, password: SecretBytes(file.password))
        // OpenSSL encodes anew what it reads.
        try bench.write(key.array, "ours.der")
        try bench.run(
            "openssl",
            "pkcs8",
            "-topk8",
            "-nocrypt",
            "-inform",
            "DER",
            "-in",
            "ours.der",
            "-out",
            "ours.pem"
        )
        #expect(try bench.read("ours.pem") == bench.read("k.pem"))
        #expect(throws: KeychainError(.authenticationFailed, "")) {
            try EncryptedPrivateKeyInfo.open(bytes, password: SecretBytes("wrong"))
        }
    }

    @Test("A key that is cut short is refused, and one in which a byte is altered is refused or another that is a key")
    func damaged() throws {
        let bytes = try EncryptedPrivateKeyInfo.seal(
            SecretBytes(privateKeyLike),
            password: SecretBytes("secret"),
            iterations: 1
        )
        var limits = ExchangeLimits()
        limits.iterations = 1000
        for index in bytes.indices {
            #expect(throws: KeychainError(.undecodable, "")) {
                try EncryptedPrivateKeyInfo.open(Array(bytes.prefix(index)), password: SecretBytes("secret"))
            }
            for bit in 0..<8 {
                var altered = bytes
                altered[index] ^= 1 << bit
                // Nothing authenticates it: of the vector and the first block, damage comes through.
                let key = try? EncryptedPrivateKeyInfo.open(altered, password: SecretBytes("secret"), limits: limits)
                #expect(key.map(PrivateKeyInfo.hasForm) != false)
            }
        }
    }

    private static let pbes2: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]
    private static let pbkdf2: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C]
    private static let scrypt: [UInt8] = [0x06, 0x09, 0x2B, 0x06, 0x01, 0x04, 0x01, 0xDA, 0x47, 0x04, 0x0B]
    private static let aes: [UInt8] = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2A]

    private static func open(_ derivation: [UInt8], _ parameters: [UInt8], vector: Int = 16) throws {
        let cipher = der(0x30, aes + der(0x04, [UInt8](repeating: 0, count: vector)))
        let key = der(0x30, derivation + der(0x30, parameters))
        let ciphertext = der(0x04, [UInt8](repeating: 0, count: 32))
        let bytes = der(0x30, der(0x30, pbes2 + der(0x30, key + cipher)) + ciphertext)
        _ = try EncryptedPrivateKeyInfo.open(bytes, password: SecretBytes("secret"))
    }

    @Test("Parameters that cost too much or mean nothing are refused before anything is derived")
    func hostileParameters() throws {
        let salt = der(0x04, [1])
        let one = der(0x02, [1])
        // With these, it comes to a key, which is wrong.
        for (derivation, parameters) in [(Self.pbkdf2, salt + one), (Self.scrypt, salt + der(0x02, [2]) + one + one)] {
            #expect(throws: KeychainError(.authenticationFailed, "")) { try Self.open(derivation, parameters) }
        }
        let many = der(0x02, [0x00, 0x98, 0x96, 0x81])
        let large = der(0x04, [UInt8](repeating: 1, count: 1025))
        let attempts: [([UInt8], [UInt8])] = [
            (Self.pbkdf2, salt + many), (Self.pbkdf2, salt + der(0x02, [UInt8](repeating: 0x7F, count: 200))),
            (Self.pbkdf2, salt + der(0x02, [0])), (Self.pbkdf2, salt + der(0x02, [0xFF])),
            (Self.pbkdf2, der(0x04, []) + one),
            (Self.pbkdf2, large + one), (Self.pbkdf2, salt + one + der(0x02, [16])), (Self.pbkdf2, salt),
            (Self.pbkdf2, []),
            // N no power of two, N of 1, more memory than there is, more work than is done, none of r or p.
            (Self.scrypt, salt + der(0x02, [3]) + one + one), (Self.scrypt, salt + one + one + one),
            (Self.scrypt, salt + der(0x02, [0x40, 0, 0]) + one + one),
            (Self.scrypt, salt + der(0x02, [0x40, 0, 0, 0]) + der(0x02, [8]) + one),
            (Self.scrypt, salt + der(0x02, [0x40, 0, 0, 0, 0, 0, 0]) + der(0x02, [64]) + one),
            (Self.scrypt, salt + der(0x02, [0x01, 0, 0]) + der(0x02, [8]) + der(0x02, [64])),
            (Self.scrypt, salt + der(0x02, [2]) + der(0x02, [0]) + one),
            (Self.scrypt, salt + der(0x02, [2]) + one + der(0x02, [0])),
            (Self.scrypt, salt + der(0x02, [2]) + der(0x02, [65]) + one),
            (Self.scrypt, der(0x04, []) + der(0x02, [2]) + one + one),
        ]
        for (derivation, parameters) in attempts {
            #expect(throws: KeychainError(.undecodable, "")) { try Self.open(derivation, parameters) }
        }
        #expect(throws: KeychainError(.undecodable, "")) { try Self.open(Self.pbkdf2, salt + one, vector: 8) }
    }

    @Test("The salt of PKCS #12's own encryption has a byte and not very many", arguments: [0, 1, 1024, 1025])
    func salts(count: Int) {
        let scheme: [UInt8] = [0x06, 0x0A, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01, 0x03]
        let parameters = der(0x30, der(0x04, [UInt8](repeating: 1, count: count)) + der(0x02, [1]))
        let bytes = der(0x30, der(0x30, scheme + parameters) + der(0x04, [UInt8](repeating: 0, count: 16)))
        let code: KeychainError.Code = (1...1024).contains(count) ? .authenticationFailed : .undecodable
        #expect(throws: KeychainError(code, "")) {
            try EncryptedPrivateKeyInfo.open(bytes, password: SecretBytes("secret"))
        }
    }
}
