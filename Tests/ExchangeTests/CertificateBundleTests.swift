import Foundation
import KeychainExchange
import KeychainModel
import KeychainTestSupport
import Testing

@Suite struct CertificateBundleTests {
    @Test("What OpenSSL bundles is read, and what is bundled here OpenSSL reads")
    func openSSL() throws {
        let alice = try Alice()
        try alice.bench.run(
            "openssl",
            "crl2pkcs7",
            "-nocrl",
            "-certfile",
            "alice.pem",
            "-certfile",
            "authority.pem",
            "-outform",
            "DER",
            "-out",
            "o.p7b"
        )
        let theirs = try alice.bench.read("o.p7b")
        #expect(try Set(CertificateBundle.certificates(in: theirs)) == [alice.certificate, alice.authority])
        let ours = CertificateBundle.encoded([alice.certificate, alice.authority])
        #expect(try Set(CertificateBundle.certificates(in: ours)) == [alice.certificate, alice.authority])
        #expect(ours == CertificateBundle.encoded([alice.authority, alice.certificate]))
        try alice.bench.write(ours, "w.p7b")
        let output = try alice.bench.run("openssl", "pkcs7", "-inform", "DER", "-in", "w.p7b", "-print_certs")
        #expect(output.contains("CN = Alice") && output.contains("CN = Authority"))
        #expect(output.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
    }

    @Test("The certificates of a message that is signed are read too, and of one in BER")
    func signed() throws {
        let alice = try Alice()
        for options in [[], ["-stream"]] {
            try alice.bench.run(
                [
                    "openssl", "cms", "-sign", "-in", "alice.pem", "-signer", "alice.pem", "-inkey", "alice.key",
                    "-certfile",
                    "authority.pem", "-outform", "DER", "-nodetach", "-out", "s.p7",
                ] + options
            )
            let bytes = try alice.bench.read("s.p7")
            #expect(bytes.starts(with: [0x30, 0x80]) == !options.isEmpty)
            #expect(try Set(CertificateBundle.certificates(in: bytes)) == [alice.certificate, alice.authority])
        }
    }

    @Test("A bundle that others have published is read, and one of none")
    func published() throws {
        #expect(try CertificateBundle.certificates(in: vector("amazon-roots.p7b")).count == 2)
        #expect(try CertificateBundle.certificates(in: CertificateBundle.encoded([])).isEmpty)
    }

    @Test("In BER of lengths that are not said it says the same, and cut short nothing")
    func damaged() throws {
        let certificate = der(0x30, der(0x02, [1]))
        let bytes = CertificateBundle.encoded([certificate])
        #expect(try CertificateBundle.certificates(in: indefinite(bytes)) == [indefinite(certificate)])
        for bytes in [bytes, indefinite(bytes)] {
            for count in bytes.indices {
                #expect(throws: KeychainError(.undecodable, "")) {
                    try CertificateBundle.certificates(in: Array(bytes.prefix(count)))
                }
            }
        }
        for index in bytes.indices {
            for bit in 0..<8 {
                var altered = bytes
                altered[index] ^= 1 << bit
                guard let read = try? CertificateBundle.certificates(in: altered) else { continue }
                #expect(read.count <= 1)
            }
        }
    }

    @Test("Other messages are said to be so, and what is no certificate is left out")
    func others() throws {
        let encrypted = CraftedPKCS12.content(CraftedPKCS12.encryptedData, der(0x30, []))
        #expect(throws: KeychainError(.unimplemented, "")) { try CertificateBundle.certificates(in: encrypted) }
        let certificate = der(0x30, der(0x02, [1]))
        let mixed = CertificateBundle.encoded([der(0xA1, []), certificate, der(0xA2, der(0x02, [1]))])
        #expect(try CertificateBundle.certificates(in: mixed) == [certificate])
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try CertificateBundle.certificates(
                in: CertificateBundle.encoded(Array(repeating: [0x30, 0x00], count: 10_001))
            )
        }
    }
}
