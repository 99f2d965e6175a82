import FuzzSupport

@testable import KeychainCertificates
@testable import KeychainExchange
@testable import KeychainModel

/// Files in which keys and certificates travel. The first byte of an input chooses: a PKCS #12 file as it is, or what one
/// authenticates, with the right MAC; PEM; an encrypted key; a bundle of certificates; a request.
///
/// What is wrong is told as one of four errors; what is read can be written, and is then read as the same.
@main
enum FuzzExchange: FuzzTarget {
    private static let password = SecretBytes(Array("secret".utf8))

    /// What is derived is not what is looked for.
    private static let limits: ExchangeLimits = {
        var limits = ExchangeLimits()
        limits.iterations = 100
        limits.totalIterations = 1000
        limits.memory = 1 << 20
        return limits
    }()

    static func run(_ bytes: [UInt8]) {
        var input = ByteSource(bytes)
        let kind = input.byte() % 6
        let contents = input.rest()
        do throws(KeychainError) {
            switch kind {
            case 0: try readPKCS12(contents)
            case 1: try readPKCS12(authenticated(contents))
            case 2: try readPEM(contents)
            case 3:
                let key = try EncryptedPrivateKeyInfo.open(contents, password: password, limits: limits)
                require(PrivateKeyInfo.hasForm(key), "a key has a key's form")
            default: try readBundle(contents)
            }
        } catch {
            let known: [KeychainError.Code] = [.undecodable, .authenticationFailed, .unimplemented, .dataTooLarge]
            require(known.contains(error.code), "what is wrong with a file is told as that, not as \(error.code)")
        }
    }

    private static func authenticated(_ safe: [UInt8]) throws(KeychainError) -> [UInt8] {
        let content = Encoding.sequence(Encoding.object(.data), Encoding.tagged(0, Encoding.octets(safe)))
        let code = PKCS12MAC.encoded(for: safe, try ExchangePassword(password), iterations: 1, isOld: false)
        return Encoding.sequence(Encoding.integer(3), content, code)
    }

    private static func readPKCS12(_ bytes: [UInt8]) throws(KeychainError) {
        let contents = try PKCS12Contents(reading: bytes, password: password, limits: limits)
        require(contents.keys.allSatisfy { PrivateKeyInfo.hasForm($0.privateKey) }, "a key has a key's form")
        for pair in contents.pairs() {
            require(
                contents.keys[pair.key].localKeyID == contents.certificates[pair.certificate].localKeyID,
                "what is paired has one name"
            )
        }
        guard contents.keys.count + contents.certificates.count < 100 else { return }
        let written = try contents.encoded(password: password, protection: .current(iterations: 1))
        let again = try PKCS12Contents(reading: written, password: password, limits: .standard)
        require(
            again.certificates.map(\.der) == contents.certificates.map(\.der)
                && again.keys.map { array($0.privateKey) } == contents.keys.map { array($0.privateKey) }
                && again.keys.map(\.friendlyName) == contents.keys.map(\.friendlyName)
                && again.certificates.map(\.localKeyID) == contents.certificates.map(\.localKeyID),
            "what is written is read as the same"
        )
    }

    private static func readPEM(_ bytes: [UInt8]) throws(KeychainError) {
        if let strict = try? PEM.blocks(in: bytes, .strict) {
            let lax = try PEM.blocks(in: bytes)
            require(lax.map(\.bytes) == strict.map(\.bytes), "what is strict is read as the same without being so")
        }
        for block in try PEM.blocks(in: bytes) {
            let again = try PEM.blocks(in: PEM.encode(block.kind, block.bytes))
            require(again.map(\.bytes) == [block.bytes], "a block that is written is read as the same")
            guard let key = try? block.privateKey(password: password, limits: limits) else { continue }
            require(PrivateKeyInfo.hasForm(key), "a key has a key's form")
        }
    }

    private static func readBundle(_ bytes: [UInt8]) throws(KeychainError) {
        let certificates = try CertificateBundle.certificates(in: bytes)
        let again = try CertificateBundle.certificates(in: CertificateBundle.encoded(certificates))
        require(again.sorted(by: precedes) == certificates.sorted(by: precedes), "a bundle is read as the same")
    }

    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

    private static func array(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

    // MARK: - Seeds

    static func seeds() throws -> [String: [UInt8]] {
        let contents = PKCS12Contents(
            keys: [.init(privateKey: key, friendlyName: "Alice", localKeyID: [1])],
            certificates: [
                .init(der: [0x30, 0x00], friendlyName: "Alice", localKeyID: [1]), .init(der: [0x30, 0x02, 0x05, 0x00]),
            ]
        )
        let safes = Encoding.sequence(
            Encoding.sequence(
                Encoding.object(.data),
                Encoding.tagged(0, Encoding.octets(Encoding.sequence(bag(1, array(key)), bag(6, Encoding.sequence()))))
            )
        )
        let encrypted = try EncryptedPrivateKeyInfo.seal(key, password: password, iterations: 1)
        let pem =
            Array("text\r\n".utf8) + PEM.encode(.certificate, [0x30, 0x00])
            + PEM.encode(.encryptedPrivateKey, encrypted) + PEM.encode(.ellipticCurvePrivateKey, ellipticCurveKey)
        return [
            "pkcs12": [0] + (try contents.encoded(password: password, protection: .current(iterations: 1))),
            "pkcs12-legacy": [0] + (try contents.encoded(password: password, protection: .legacy(iterations: 1))),
            "safes": [1] + safes,
            "pem": [2] + pem,
            "pem-encrypted": [2] + Array(encryptedBlock.utf8),
            "pkcs8": [3] + encrypted,
            "pkcs7": [4] + CertificateBundle.encoded([[0x30, 0x00], [0x30, 0x02, 0x05, 0x00]]),
        ]
    }

    /// The shortest thing that has a PrivateKeyInfo's form.
    private static let key = SecretBytes(
        Encoding.sequence(
            Encoding.integer(0),
            Encoding.sequence(Encoding.object(.ellipticCurvePublicKey)),
            Encoding.octets([1])
        )
    )

    private static let ellipticCurveKey = Encoding.sequence(
        Encoding.integer(1),
        Encoding.octets([1]),
        Encoding.tagged(0, Encoding.object(.commonName))
    )

    private static let encryptedBlock = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,000102030405060708090A0B0C0D0E0F

        AAAAAAAAAAAAAAAAAAAAAA==
        -----END EC PRIVATE KEY-----

        """

    private static func bag(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
        let identifier: [UInt8] = [0x06, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, type]
        return Encoding.sequence(identifier, Encoding.tagged(0, value))
    }
}
