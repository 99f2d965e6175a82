import Crypto
import Foundation
import KeychainCertificates
import KeychainModel
import Testing

@testable import KeychainKeys

@Suite("Encryption")
struct EncryptionTests {
    private static let ecies = KeyAlgorithm.all.filter { algorithm in
        if case .eciesEncryption = algorithm { true } else { false }
    }

    private let plaintext = "what is secret".bytes

    // MARK: ECIES

    @Test("What is encrypted with ECIES decrypts, and each time is another ciphertext", arguments: ecies, curves)
    func roundTrip(_ algorithm: KeyAlgorithm, _ curve: EllipticCurve) throws {
        let key = PrivateKey(try CurvePrivateKey(generatedOn: curve))
        for count in [0, 1, 15, 16, 17, 1000] {
            let plaintext = [UInt8](repeating: 0x33, count: count)
            let message = try key.publicKey.encrypted(plaintext, algorithm)
            #expect(message.count == 1 + 2 * curve.coordinateSize + count + 16)
            #expect(try key.decrypted(message, algorithm).revealed == plaintext)
            #expect(try key.publicKey.encrypted(plaintext, algorithm) != message)
        }
    }

    /// ECIES by swift-crypto alone: its own agreement and derivation.
    private func compose(
        _ curve: EllipticCurve,
        _ number: [UInt8],
        _ peer: [UInt8],
        _ ephemeral: [UInt8],
        _ hash: KeyHash,
        _ isDerived: Bool,
        info: [UInt8] = []
    ) throws -> (key: SymmetricKey, nonce: AES.GCM.Nonce) {
        let secret =
            switch curve {
            case .p256:
                try P256.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: .init(x963Representation: peer))
            case .p384:
                try P384.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: .init(x963Representation: peer))
            case .p521:
                try P521.KeyAgreement.PrivateKey(rawRepresentation: number)
                    .sharedSecretFromKeyAgreement(with: .init(x963Representation: peer))
            }
        let size = curve == .p256 ? 16 : 32
        let count = size + (isDerived ? 16 : 0)
        let shared = ephemeral + info
        let derived =
            switch hash {
            case .sha1:
                secret.x963DerivedSymmetricKey(using: Insecure.SHA1.self, sharedInfo: shared, outputByteCount: count)
            case .sha256: secret.x963DerivedSymmetricKey(using: SHA256.self, sharedInfo: shared, outputByteCount: count)
            case .sha384: secret.x963DerivedSymmetricKey(using: SHA384.self, sharedInfo: shared, outputByteCount: count)
            default: secret.x963DerivedSymmetricKey(using: SHA512.self, sharedInfo: shared, outputByteCount: count)
            }
        let bytes = derived.withUnsafeBytes { Array($0) }
        let vector = isDerived ? Array(bytes.suffix(16)) : [UInt8](repeating: 0, count: 16)
        return (SymmetricKey(data: bytes.prefix(size)), try AES.GCM.Nonce(data: vector))
    }

    /// swift-crypto derives with all functions but SHA-224; NIST's vectors try that derivation.
    private static let composed = ecies.filter { !$0.identifier.contains("SHA224") }

    @Test("ECIES is what the documented parts make of it", arguments: composed, curves)
    func composition(_ algorithm: KeyAlgorithm, _ curve: EllipticCurve) throws {
        guard case .eciesEncryption(_, let hash, let vector) = algorithm else { return }
        let isDerived = vector == .derived
        let own = try CurvePrivateKey(generatedOn: curve)
        let pointSize = 1 + 2 * curve.coordinateSize
        let info = "caller's".bytes
        let parameters = CipherParameters(sharedInfo: info)

        let ours = try own.publicKey.encrypted(plaintext, algorithm, parameters)
        let point = Array(ours.prefix(pointSize))
        let opening = try compose(curve, own.number.revealed, point, point, hash, isDerived, info: info)
        let box = try AES.GCM.SealedBox(
            nonce: opening.nonce,
            ciphertext: ours.dropFirst(pointSize).dropLast(16),
            tag: ours.suffix(16)
        )
        #expect(Array(try AES.GCM.open(box, using: opening.key)) == plaintext)

        let ephemeral = try CurvePrivateKey(generatedOn: curve)
        let sent = ephemeral.publicKey.externalRepresentation
        let sealing = try compose(
            curve,
            ephemeral.number.revealed,
            own.publicKey.externalRepresentation,
            sent,
            hash,
            isDerived,
            info: info
        )
        let theirs = try AES.GCM.seal(plaintext, using: sealing.key, nonce: sealing.nonce)
        let message = sent + theirs.ciphertext + theirs.tag
        #expect(try own.decrypted(message, algorithm, parameters).revealed == plaintext)
    }

    /// A key and a message that `SecKeyCreateEncryptedData` made of "test" with
    /// `kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM`, as the repository O2-Czech-Republic/BC-ECIES-for-iOS on
    /// GitHub gives them.
    @Test("A message that an iPhone encrypted decrypts")
    func applesMessage() throws {
        let key = try #require(
            Data(
                base64Encoded:
                    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4eSgzxefv1TF8LRy3M0DI5MkQ6+HCqVBxLtJOEovV3ChRANC"
                    + "AAQLKgQxt5HmRvEWTZ9jMvZTNT2ANsI74wv2U6kdR1l7KxAqOckjpgbrWGfmKvkOkIMy001gRSafMV/X6mOkxjXo"
            )
        )
        let message = try #require(
            Data(
                base64Encoded:
                    "BDoUkNsU4RC8SSjrwOtDi8TEZuq09Zz/q7/YWKbBt44fLKDDlIm7Nq4OF66AiUIzX/sXpxuysdCHoEuINt2LAise8Tbd"
                    + "dzI3vbgLGaoD2ttj0O8LtA=="
            )
        )
        let privateKey = try PrivateKey(pkcs8: SecretBytes(key))
        for name in ["ECDH", "ECDHC"] {
            let algorithm = try KeyAlgorithm.named("algid:encrypt:ECIES:\(name):KDFX963:SHA256:AESGCM")
            #expect(try privateKey.decrypted(Array(message), algorithm).revealed == "test".bytes)
        }
    }

    @Test("A message of ECIES with any byte changed does not decrypt", arguments: curves)
    func changedMessages(_ curve: EllipticCurve) throws {
        let key = PrivateKey(try CurvePrivateKey(generatedOn: curve))
        for algorithm in [Self.ecies.first, Self.ecies.last].compactMap({ $0 }) {
            let message = try key.publicKey.encrypted(plaintext, algorithm)
            var errors: Set<String> = []
            for index in message.indices {
                for mask in [1, 0x80] as [UInt8] {
                    do {
                        _ = try key.decrypted(message.changed(at: index, by: mask), algorithm)
                        Issue.record("decrypted with byte \(index) changed")
                    } catch {
                        errors.insert("\(error)")
                    }
                }
            }
            #expect(errors.count == 1 && errors.first?.hasPrefix("undecodable") ?? false, "\(errors)")
        }
    }

    @Test("A message of ECIES that is cut short does not decrypt", arguments: curves)
    func cutMessages(_ curve: EllipticCurve) throws {
        let key = PrivateKey(try CurvePrivateKey(generatedOn: curve))
        let algorithm = try KeyAlgorithm.named("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
        let message = try key.publicKey.encrypted(plaintext, algorithm)
        let least = 1 + 2 * curve.coordinateSize + 16
        for count in 0..<message.count {
            let expected: KeychainError.Code = count < least ? .invalidParameter : .undecodable
            #expect(failure { try key.decrypted(Array(message.prefix(count)), algorithm) } == expected)
        }
        #expect(failure { try key.decrypted(message + [0], algorithm) } == .undecodable)
    }

    @Test("A point that is none, or somebody else's, decrypts nothing", arguments: curves)
    func foreignPoints(_ curve: EllipticCurve) throws {
        let key = PrivateKey(try CurvePrivateKey(generatedOn: curve))
        let algorithm = try KeyAlgorithm.named("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
        let message = try key.publicKey.encrypted(plaintext, algorithm)
        let size = 1 + 2 * curve.coordinateSize
        let rest = message.dropFirst(size)
        let other = try CurvePrivateKey(generatedOn: curve).publicKey.externalRepresentation
        let points: [[UInt8]] = [
            other, key.publicKey.externalRepresentation, [UInt8](repeating: 0, count: size),
            [4] + [UInt8](repeating: 0, count: size - 1), [4] + [UInt8](repeating: 0xFF, count: size - 1),
            [2] + message[1..<size], [6] + message[1..<size],
        ]
        for point in points { #expect(failure { try key.decrypted(point + rest, algorithm) } == .undecodable) }
        // A point on another curve, with so much behind it that the length is right.
        for another in curves where another != curve {
            let point = try CurvePrivateKey(generatedOn: another).publicKey.externalRepresentation
            let message = point + [UInt8](repeating: 7, count: 200)
            #expect(failure { try key.decrypted(message, algorithm) } == .undecodable)
        }
        let stranger = PrivateKey(try CurvePrivateKey(generatedOn: curve))
        #expect(failure { try stranger.decrypted(message, algorithm) } == .undecodable)
    }

    @Test("Both sides of ECIES have to say the same")
    func parameters() throws {
        let key = try PrivateKey.generate(.ellipticCurve, sizeInBits: 256)
        let algorithm = try KeyAlgorithm.named("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
        let all = [
            CipherParameters(), CipherParameters(sharedInfo: [1]), CipherParameters(symmetricKeySizeInBits: 192),
            CipherParameters(symmetricKeySizeInBits: 256), CipherParameters(additionalData: [1]),
        ]
        for (sent, own) in all.enumerated() {
            let message = try key.publicKey.encrypted(plaintext, algorithm, own)
            for (received, other) in all.enumerated() {
                let answer = failure { try key.decrypted(message, algorithm, other) }
                #expect(answer == (sent == received ? nil : .undecodable))
            }
        }
        // What goes with the curve may be said, too.
        let message = try key.publicKey.encrypted(plaintext, algorithm, CipherParameters(symmetricKeySizeInBits: 128))
        #expect(try key.decrypted(message, algorithm).revealed == plaintext)
        for size in [0, -128, 8, 127, 512, Int.max, Int.min] {
            let wrong = CipherParameters(symmetricKeySizeInBits: size)
            #expect(failure { try key.publicKey.encrypted(plaintext, algorithm, wrong) } == .invalidParameter)
            #expect(failure { try key.decrypted(message, algorithm, wrong) } == .invalidParameter)
        }
        // Each algorithm has its own key, the one with cofactor excepted, which is 1.
        for other in Self.ecies {
            let answer = failure { try key.decrypted(message, other) }
            let isSame = other.identifier.hasSuffix("SHA256:AESGCM")
            #expect(answer == (isSame ? nil : .undecodable), "\(other.identifier)")
        }
    }

    // MARK: RSA

    @Test("RSA encrypts as much as fits, and not a byte more")
    func limits() throws {
        for key in [try SharedKeys.rsa1024.get(), try SharedKeys.rsa2048.get()] {
            let size = key.publicKey.blockSize
            for (padding, limit) in [
                (KeyAlgorithm.RSAEncryptionPadding.pkcs1, size - 11), (.oaep(.sha1), size - 42),
                (.oaep(.sha256), size - 66),
            ] {
                let algorithm = KeyAlgorithm.rsaEncryption(padding)
                for count in [0, 1, limit - 1, limit] {
                    let plaintext = [UInt8](repeating: 0xEE, count: count)
                    let ciphertext = try key.publicKey.encrypted(plaintext, algorithm)
                    #expect(ciphertext.count == size)
                    #expect(try key.decrypted(ciphertext, algorithm).revealed == plaintext)
                }
                for count in [limit + 1, limit + 2, size - 1, size, size + 1, 100_000] {
                    let plaintext = [UInt8](repeating: 0xEE, count: count)
                    #expect(failure { try key.publicKey.encrypted(plaintext, algorithm) } == .invalidParameter)
                }
            }
        }
        // OAEP with SHA-512 has no room in 1024 bits at all.
        let small = try SharedKeys.rsa1024.get()
        for algorithm in [
            KeyAlgorithm.rsaEncryption(.oaep(.sha512)), .rsaEncryptionAESGCM(.sha512), .rsaEncryptionAESGCM(.sha384),
        ] {
            let isRefused = algorithm.availability(of: .encrypt, by: small.publicKey.keyKind) == .isRefused
            #expect(isRefused == (algorithm != .rsaEncryptionAESGCM(.sha384)))
        }
        #expect(failure { try small.publicKey.encrypted([1], .rsaEncryption(.oaep(.sha512))) } == .invalidParameter)
    }

    @Test(
        "RSA refuses ciphertexts of another length, and decrypts none that was changed",
        arguments: [KeyAlgorithm.RSAEncryptionPadding.pkcs1, .oaep(.sha1), .oaep(.sha256)]
    )
    func changedBlocks(_ padding: KeyAlgorithm.RSAEncryptionPadding) throws {
        let key = try SharedKeys.rsa1024.get()
        let algorithm = KeyAlgorithm.rsaEncryption(padding)
        let ciphertext = try key.publicKey.encrypted(plaintext, algorithm)
        for count in [0, 1, 127, 129, 256] {
            let other = Array((ciphertext + ciphertext).prefix(count))
            #expect(wholeError { try key.decrypted(other, algorithm) } == wrongRSAInput)
        }
        var errors: Set<String> = []
        for index in ciphertext.indices {
            do {
                let other = try key.decrypted(ciphertext.changed(at: index), algorithm).revealed
                // With PKCS #1 something that looks padded may come out now and then, but never what was encrypted.
                #expect(padding == .pkcs1 && other != plaintext)
            } catch {
                errors.insert("\(error)")
            }
        }
        #expect(errors == [wrongRSAInput])
        // Numbers that are not below the modulus.
        guard case .rsa(let modulus, _) = key.publicKey.kind else { return }
        for block in [modulus, [UInt8](repeating: 0xFF, count: 128)] {
            for padding in [
                KeyAlgorithm.RSAEncryptionPadding.none, .pkcs1, .oaep(.sha1), .oaep(.sha256), .oaep(.sha384),
            ] {
                #expect(wholeError { try key.decrypted(block, .rsaEncryption(padding)) } == wrongRSAInput)
            }
        }
    }

    @Test(
        "AES-GCM under an RSA key decrypts nothing that was changed or cut, and says no more of it",
        arguments: [KeyHash.sha1, .sha256]
    )
    func changedSessionKeys(_ hash: KeyHash) throws {
        let key = try SharedKeys.rsa1024.get()
        let algorithm = KeyAlgorithm.rsaEncryptionAESGCM(hash)
        for count in [0, 1, 5000] {
            let plaintext = [UInt8](repeating: 1, count: count)
            let message = try key.publicKey.encrypted(plaintext, algorithm)
            #expect(message.count == 128 + count + 16)
            #expect(try key.decrypted(message, algorithm).revealed == plaintext)
        }
        let message = try key.publicKey.encrypted(plaintext, algorithm)
        var errors: Set<String> = []
        for index in message.indices {
            do {
                _ = try key.decrypted(message.changed(at: index), algorithm)
                Issue.record("decrypted with byte \(index) changed")
            } catch {
                errors.insert("\(error)")
            }
        }
        #expect(errors == [wrongRSAInput])
        for count in 0..<message.count {
            let cut = Array(message.prefix(count))
            #expect(wholeError { try key.decrypted(cut, algorithm) } == wrongRSAInput)
        }
    }

    @Test("An RSA public key opens what its private key signed, and nothing that is not whole")
    func openedSignatures() throws {
        let key = try SharedKeys.rsa2048.get()
        let digest = Array(SHA256.hash(data: plaintext))
        let signature = try key.signature(of: plaintext, .rsaSignature(.pkcs1v15, .message, .sha256))
        let opened = try key.publicKey.decrypted(signature, .rsaEncryption(.none)).revealed
        let info = DigestInfo.prefix(of: .sha256) + digest
        #expect(opened == [0, 1] + [UInt8](repeating: 0xFF, count: 256 - 3 - info.count) + [0] + info)
        // What is padded as a ciphertext opens with its padding taken off; a signature is padded otherwise.
        #expect(wholeError { try key.publicKey.decrypted(signature, .rsaEncryption(.pkcs1)) } == wrongRSAInput)
        for (padding, isRight) in [(8, true), (9, true), (7, false), (0, false)] {
            let filling = [UInt8](repeating: 7, count: padding)
            let long = [UInt8](repeating: 9, count: 256 - 3 - padding)
            let block = [0, 2] + filling + [0] + long
            let signed = try key.signature(of: block, .rsaSignatureRaw)
            let message = try? key.publicKey.decrypted(signed, .rsaEncryption(.pkcs1)).revealed
            #expect(message == (isRight ? long : nil), "\(padding)")
        }
        let endless = try key.signature(of: [0, 2] + [UInt8](repeating: 7, count: 254), .rsaSignatureRaw)
        #expect(wholeError { try key.publicKey.decrypted(endless, .rsaEncryption(.pkcs1)) } == wrongRSAInput)
        for wrong in [[], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0xFF, count: 256)] {
            for padding in [KeyAlgorithm.RSAEncryptionPadding.none, .pkcs1, .oaep(.sha1)] {
                #expect(wholeError { try key.publicKey.decrypted(wrong, .rsaEncryption(padding)) } == wrongRSAInput)
            }
        }
        for algorithm in [KeyAlgorithm.rsaEncryption(.oaep(.sha384)), .rsaEncryptionAESGCM(.sha1), .rsaSignatureRaw] {
            #expect(failure { try key.publicKey.decrypted(signature, algorithm) } == .invalidParameter)
        }
    }

    @Test("Padding of OAEP that is wrong anywhere is refused", arguments: [KeyHash.sha1, .sha256, .sha384, .sha512])
    func oaepPadding(_ hash: KeyHash) throws {
        let size = 256
        let seed = [UInt8](repeating: 0x29, count: hash.size)
        /// A block with any data in it, masked as OAEP masks it.
        func block(first: UInt8 = 0, _ data: [UInt8]) throws -> SecretBytes {
            let mask = try hash.expansion(of: SecretBytes(seed), from: 0, count: data.count).revealed
            let masked = zip(data, mask).map { $0 ^ $1 }
            let seedMask = try hash.expansion(of: SecretBytes(masked), from: 0, count: hash.size).revealed
            return SecretBytes([first] + zip(seed, seedMask).map { $0 ^ $1 } + masked)
        }
        let label = try hash.digest(of: [])
        let room = size - 1 - 2 * hash.size
        func data(_ label: [UInt8], _ padding: [UInt8]) -> [UInt8] {
            label + padding + [UInt8](repeating: 0x77, count: max(0, room - padding.count))
        }
        for zeros in [0, 1, 5, room - 1] {
            let padding = [UInt8](repeating: 0, count: zeros) + [1]
            let good = data(label, padding)
            let message = try OAEP.message(in: block(good), hash)?.revealed
            #expect(message == [UInt8](repeating: 0x77, count: room - zeros - 1))
            #expect(try OAEP.message(in: block(first: 1, good), hash) == nil)
            #expect(try OAEP.message(in: block(first: 0x80, good), hash) == nil)
            for index in label.indices {
                #expect(try OAEP.message(in: block(good.changed(at: index)), hash) == nil)
            }
            for byte in [2, 0x81, 0xFF] as [UInt8] {
                let wrong = [UInt8](repeating: 0, count: zeros) + [byte]
                #expect(try OAEP.message(in: block(data(label, wrong)), hash) == nil)
            }
        }
        // Nothing but zeros; and a one that comes after something else.
        #expect(try OAEP.message(in: block(label + [UInt8](repeating: 0, count: room)), hash) == nil)
        #expect(try OAEP.message(in: block(data(label, [0, 0, 3, 1])), hash) == nil)
        // The first one ends the padding; a second belongs to the message.
        #expect(try OAEP.message(in: block(data(label, [0, 1, 1])), hash)?.revealed.first == 1)
        for count in 0...(2 * hash.size + 1) {
            #expect(try OAEP.message(in: SecretBytes(count: count) { _ in }, hash) == nil)
        }
    }
}
