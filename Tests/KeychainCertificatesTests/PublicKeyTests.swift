import Foundation
import KeychainCertificates
import KeychainTestSupport
import Testing

@Suite("Public keys")
struct PublicKeyTests {
    @Test(
        arguments: [
            (["rsa:1024"], 1024, 128), (["rsa:2048"], 2048, 256),
            (["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], 256, 32),
            (["ec", "-pkeyopt", "ec_paramgen_curve:P-384"], 384, 48),
            (["ec", "-pkeyopt", "ec_paramgen_curve:P-521"], 521, 66),
        ] as [([String], Int, Int)]
    )
    func `the key of a certificate is what OpenSSL takes out of it`(key: [String], size: Int, block: Int) throws {
        let certificate = try OpenSSL.certificate("/CN=Alice", key: key)
        let contents = try #require(CertificateContents(der: Array(certificate)))
        let publicKey = try #require(contents.subjectPublicKeyInfo.publicKey)
        #expect(try publicKey.externalRepresentation == Array(OpenSSL.publicKey(of: certificate)))
        #expect(publicKey.sizeInBits == size)
        #expect(publicKey.blockSize == block)
        #expect(publicKey.applicationLabel == contents.publicKeyHash)
        #expect(
            PublicKey(rsa: publicKey.externalRepresentation) ?? PublicKey(point: publicKey.externalRepresentation)
                == publicKey
        )
    }

    @Test(
        arguments: [
            ["ed448"], ["ec", "-pkeyopt", "ec_paramgen_curve:secp256k1"],
            ["ec", "-pkeyopt", "ec_paramgen_curve:P-224"],
        ]
    )
    func `keys of other kinds are none`(key: [String]) throws {
        let certificate = try OpenSSL.certificate("/CN=Alice", key: key)
        let contents = try #require(CertificateContents(der: Array(certificate)))
        #expect(contents.subjectPublicKeyInfo.publicKey == nil)
    }

    @Test
    func `the key of an Ed25519 certificate is its 32 bytes`() throws {
        let certificate = try OpenSSL.certificate("/CN=Alice", key: ["ed25519"])
        let contents = try #require(CertificateContents(der: Array(certificate)))
        let publicKey = try #require(contents.subjectPublicKeyInfo.publicKey)
        #expect(publicKey.externalRepresentation == Array(contents.subjectPublicKeyInfo.key))
        #expect(publicKey.externalRepresentation.count == 32)
        #expect(publicKey.sizeInBits == 256 && publicKey.blockSize == 32)
        #expect(publicKey.applicationLabel == contents.publicKeyHash)
        #expect(PublicKey(subjectPublicKeyInfo: publicKey.subjectPublicKeyInfo) == publicKey)
        for count in [0, 31, 33] { #expect(PublicKey(ed25519: [UInt8](repeating: 1, count: count)) == nil) }
        // RFC 8410, section 3: there are no parameters.
        var info = publicKey.subjectPublicKeyInfo
        info.replaceSubrange(0..<9, with: [0x30, 0x2C, 0x30, 0x07, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x05, 0x00])
        #expect(PublicKey(subjectPublicKeyInfo: info) == nil)
    }

    @Test
    func `a point that is not on its curve is no key`() throws {
        var point = Array(try OpenSSL.publicKey(of: OpenSSL.certificate("/CN=Alice")))
        #expect(PublicKey(point: point) != nil)
        point[64] ^= 1
        #expect(PublicKey(point: point) == nil)
        #expect(PublicKey(point: [4] + [UInt8](repeating: 0, count: 64)) == nil)
        #expect(PublicKey(point: [0]) == nil)
        #expect(PublicKey(point: []) == nil)
    }

    @Test
    func `a point on another curve than the certificate names is no key`() throws {
        var crafted = CraftedCertificate()
        let point = Array(try OpenSSL.publicKey(of: OpenSSL.certificate("/CN=Alice")))
        crafted.publicKey = CraftedCertificate.key(onCurve: CraftedCertificate.p384, point: point)
        let contents = try #require(CertificateContents(der: crafted.bytes))
        #expect(contents.subjectPublicKeyInfo.publicKey == nil)
    }

    private func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
        der(0x30, der(0x02, modulus) + der(0x02, exponent))
    }

    @Test
    func `numbers with which there is no RSA are no key`() {
        let modulus: [UInt8] = [0x00] + [UInt8](repeating: 0xFF, count: 128)
        let exponent: [UInt8] = [0x01, 0x00, 0x01]
        #expect(PublicKey(rsa: rsa(modulus, exponent)) != nil)
        let wrong: [[UInt8]] = [
            rsa(modulus.dropLast() + [0xFE], exponent), rsa(modulus, [0x01, 0x00, 0x00]), rsa(modulus, [0x01]),
            rsa(modulus, [0x00]), rsa(modulus, []), rsa([], exponent), rsa(modulus, [0xFF]),
            rsa(Array(modulus.dropFirst()), exponent), rsa([0x00] + modulus, exponent),
            rsa(modulus, [0x00] + exponent), rsa([0x0F], exponent),
            rsa([UInt8](repeating: 0x7F, count: 3000), exponent),
            rsa(modulus, [0x00] + [UInt8](repeating: 0xFF, count: 129)),
            rsa(modulus, exponent) + [0x00], der(0x30, der(0x02, modulus)),
            der(0x30, der(0x02, modulus) + der(0x02, exponent) + der(0x02, exponent)), [],
        ]
        for bytes in wrong { #expect(PublicKey(rsa: bytes) == nil) }
    }

    @Test
    func `an RSA key of an odd number of bits has that size`() {
        let modulus: [UInt8] = [0x7F] + [UInt8](repeating: 0xFF, count: 127)
        let key = PublicKey(rsa: rsa(modulus, [0x01, 0x00, 0x01]))
        #expect(key?.sizeInBits == 1023)
        #expect(key?.blockSize == 128)
    }
}
