import FuzzSupport

@testable import KeychainCertificates
@testable import KeychainKeys
@testable import KeychainModel

/// Keys in every form, signatures, and ciphertexts. The first byte says which.
@main
enum FuzzKeys: FuzzTarget {
    private enum Form: UInt8, CaseIterable {
        case point
        case rsa
        case pkcs8
        case sec1
        case publicInfo
        case signature
        case ecies
        case ciphertext
        case verification
    }

    private static let curves = EllipticCurve.allCases

    static func run(_ bytes: [UInt8]) {
        var source = ByteSource(bytes)
        switch source.choice(of: Form.allCases) {
        case .point: external(source.rest(), .ellipticCurve)
        case .rsa: external(source.rest(), .rsa)
        case .pkcs8:
            let bytes = source.rest()
            if let key = try? PrivateKey(pkcs8: SecretBytes(bytes)) { check(key) }
        case .sec1:
            let curve = source.choice(of: curves + [nil])
            let bytes = source.rest()
            if let key = try? CurvePrivateKey(sec1: SecretBytes(bytes), on: curve) { check(PrivateKey(key)) }
        case .publicInfo:
            let bytes = source.rest()
            guard let key = PublicKey(subjectPublicKeyInfo: bytes) else { return }
            require(key.subjectPublicKeyInfo == bytes, "there is one form of a public key")
        case .signature: signature(source.choice(of: curves), source.rest())
        case .ecies: ecies(&source)
        case .ciphertext: ciphertext(&source)
        case .verification: verification(&source)
        }
    }

    private static func external(_ bytes: [UInt8], _ family: PrivateKey.Family) {
        guard let key = try? PrivateKey(externalRepresentation: SecretBytes(bytes), family) else { return }
        let again = (try? key.externalRepresentation)?.withUnsafeBytes { Array($0) }
        require(again == bytes, "there is one external representation of a key")
        check(key)
    }

    /// What holds of every key that was read.
    private static func check(_ key: PrivateKey) {
        require("\(key)" == "[REDACTED]", "a private key is not printed")
        guard let info = try? key.pkcs8, let again = try? PrivateKey(pkcs8: info) else {
            return require(false, "a key that was read can be written and read again")
        }
        require(again.publicKey == key.publicKey, "a key that was read again is that key")
        let publicKey = key.publicKey
        require(PublicKey(subjectPublicKeyInfo: publicKey.subjectPublicKeyInfo) == publicKey, "its public half, too")
        let digest = [UInt8](repeating: 1, count: 32)
        let algorithm: KeyAlgorithm? =
            switch publicKey.keyKind {
            case .rsa: .rsaSignature(.pkcs1v15, .digest, .sha256)
            case .ellipticCurve: .ecdsaSignature(.x962, .digest, .sha256)
            // No algorithm of the list is for them.
            case .ed25519: nil
            }
        // A key of RSA whose primes are none signs nothing.
        guard let algorithm, let signature = try? key.signature(of: digest, algorithm) else { return }
        require(
            (try? publicKey.verify(signature, of: digest, algorithm)) != nil,
            "what a private key signs its public half verifies"
        )
    }

    private static func signature(_ curve: EllipticCurve, _ bytes: [UInt8]) {
        if let signature = ECDSASignature(der: bytes, on: curve) {
            require(signature.der == bytes, "there is one DER of a signature")
            require(ECDSASignature(raw: signature.raw, on: curve) == signature, "both forms are the same signature")
        }
        if let signature = ECDSASignature(raw: bytes, on: curve) {
            require(ECDSASignature(der: signature.der, on: curve) == signature, "both forms are the same signature")
        }
    }

    /// The key of a small number, which is the same in every run.
    private static func key(on curve: EllipticCurve) -> PrivateKey? {
        let number = [UInt8](repeating: 0, count: curve.coordinateSize - 1) + [5]
        return (try? CurvePrivateKey(curve, number: SecretBytes(number))).map { PrivateKey($0) }
    }

    private static func ecies(_ source: inout ByteSource) {
        let algorithms = KeyAlgorithm.all.filter { if case .eciesEncryption = $0 { true } else { false } }
        let (curve, algorithm) = (source.choice(of: curves), source.choice(of: algorithms))
        let parameters = CipherParameters(
            sharedInfo: source.shortBytes(),
            symmetricKeySizeInBits: source.flag() ? Int(source.byte()) * 2 : nil
        )
        let bytes = source.rest()
        guard let key = key(on: curve) else { return require(false, "5 is a private key") }
        guard let plaintext = try? key.decrypted(bytes, algorithm, parameters) else { return }
        require(bytes.count == 1 + 2 * curve.coordinateSize + plaintext.count + 16, "nothing is lost or added")
    }

    private static func ciphertext(_ source: inout ByteSource) {
        let algorithms = KeyAlgorithm.all.filter { algorithm in
            switch algorithm {
            case .rsaEncryption, .rsaEncryptionAESGCM: true
            default: false
            }
        }
        let algorithm = source.choice(of: algorithms)
        guard let key = try? PrivateKey(externalRepresentation: SecretBytes(source.longBytes()), .rsa) else { return }
        let bytes = source.rest()
        guard let plaintext = try? key.decrypted(bytes, algorithm) else { return }
        require(plaintext.count <= bytes.count, "there is no more in it than was encrypted")
    }

    private static func verification(_ source: inout ByteSource) {
        let algorithm = source.choice(of: KeyAlgorithm.all)
        let bytes = source.longBytes()
        guard let key = PublicKey(rsa: bytes) ?? PublicKey(point: bytes) else { return }
        let data = source.longBytes()
        let signature = source.rest()
        _ = try? key.verify(signature, of: data, algorithm)
        _ = try? key.encrypted(data, algorithm)
        if let own = self.key(on: .p256) {
            _ = try? own.exchange(with: key, algorithm, KeyExchangeParameters(requestedSize: Int(data.count)))
        }
    }

    static func seeds() throws -> [String: [UInt8]] {
        let message = Array("a message".utf8)
        let rsa = try PrivateKey.generate(.rsa, sizeInBits: 1024)
        guard let curve = key(on: .p256) else { return [:] }
        func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }
        func seed(_ form: Form, _ bytes: [UInt8]) -> [UInt8] { [form.rawValue] + bytes }
        let sec1 = try CurvePrivateKey(externalRepresentation: curve.externalRepresentation).sec1()
        let x962 = KeyAlgorithm.ecdsaSignature(.x962, .message, .sha256)
        let pss = KeyAlgorithm.rsaSignature(.pss, .message, .sha256)
        let ecies = KeyAlgorithm.eciesEncryption(.standard, .sha256, .derived)
        let eciesIndex = KeyAlgorithm.all.filter { if case .eciesEncryption = $0 { true } else { false } }.firstIndex(
            of: ecies
        )
        let rsaKey = bytes(try rsa.externalRepresentation)
        let rsaPublic = rsa.publicKey.externalRepresentation
        return [
            "point": seed(.point, bytes(try curve.externalRepresentation)),
            "rsa": seed(.rsa, rsaKey),
            "pkcs8-rsa": seed(.pkcs8, bytes(try rsa.pkcs8)),
            "pkcs8-point": seed(.pkcs8, bytes(try curve.pkcs8)),
            "sec1": seed(.sec1, [3] + bytes(sec1)),
            "public-rsa": seed(.publicInfo, rsa.publicKey.subjectPublicKeyInfo),
            "public-point": seed(.publicInfo, curve.publicKey.subjectPublicKeyInfo),
            "signature": seed(.signature, [0] + (try curve.signature(of: message, x962))),
            "ecies": seed(
                .ecies,
                [0, UInt8(eciesIndex ?? 0), 0, 0] + (try curve.publicKey.encrypted(message, ecies))
            ),
            "oaep": seed(
                .ciphertext,
                // The position of OAEP with SHA-1 among the algorithms that encrypt with RSA.
                [2] + rsaKey.withLength + (try rsa.publicKey.encrypted(message, .rsaEncryption(.oaep(.sha1))))
            ),
            "verification": seed(
                .verification,
                [UInt8(KeyAlgorithm.all.firstIndex(of: pss) ?? 0)] + rsaPublic.withLength + message.withLength
                    + (try rsa.signature(of: message, pss))
            ),
        ]
    }
}
