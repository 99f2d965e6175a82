import Crypto
import Foundation
import KeychainCertificates
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainKeys

/// Keys, signatures, secrets and ciphertexts go over to OpenSSL and come back.
@Suite("OpenSSL")
struct OpenSSLTests {
    private let folder: URL
    fileprivate let message = "what is signed".bytes

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    fileprivate func inFolder(_ body: () throws -> Void) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try body()
    }

    fileprivate func openssl(_ arguments: [String], _ input: [UInt8] = []) throws -> [UInt8] {
        Array(try OpenSSL.run(arguments, in: folder, input: Data(input)))
    }

    fileprivate func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    /// Writes both halves of a key for OpenSSL.
    fileprivate func write(_ key: PrivateKey) throws {
        try write(key.pkcs8.revealed, "key.der")
        try write(key.publicKey.subjectPublicKeyInfo, "public.der")
    }

    fileprivate let publicKey = ["-pubin", "-inkey", "public.der", "-keyform", "DER"]
    fileprivate let privateKey = ["-inkey", "key.der", "-keyform", "DER"]

    private static let names = [EllipticCurve.p256: "P-256", .p384: "P-384", .p521: "P-521"]

    /// A key that OpenSSL makes, as PKCS #8.
    private func made(_ curve: EllipticCurve) throws -> PrivateKey {
        let name = try #require(Self.names[curve])
        let pem = try openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(name)"])
        return try PrivateKey(pkcs8: SecretBytes(openssl(["pkcs8", "-topk8", "-nocrypt", "-outform", "DER"], pem)))
    }

    private func madeRSA(_ size: Int) throws -> PrivateKey {
        let pem = try openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(size)"])
        return try PrivateKey(pkcs8: SecretBytes(openssl(["pkcs8", "-topk8", "-nocrypt", "-outform", "DER"], pem)))
    }

    // MARK: Forms

    @Test("Keys on curves are the same in all forms", arguments: curves)
    func curveForms(_ curve: EllipticCurve) throws {
        try inFolder {
            for key in [try made(curve), PrivateKey(try CurvePrivateKey(generatedOn: curve))] {
                try write(key)
                let info = try openssl(["pkey", "-inform", "DER", "-in", "key.der", "-outform", "DER", "-pubout"])
                #expect(info == key.publicKey.subjectPublicKeyInfo)
                #expect(PublicKey(subjectPublicKeyInfo: info) == key.publicKey)
                let pkcs8 = try openssl([
                    "pkcs8", "-topk8", "-nocrypt", "-inform", "DER", "-in", "key.der", "-outform", "DER",
                ])
                #expect(pkcs8 == (try key.pkcs8.revealed), "the form is the same to the last byte")
                let sec1 = try openssl(["ec", "-inform", "DER", "-in", "key.der", "-outform", "DER"])
                let own = try key.backing.curveKey
                #expect(sec1 == (try own.sec1().revealed))
                #expect(try CurvePrivateKey(sec1: SecretBytes(sec1)).number.revealed == own.number.revealed)
                // Without the public half.
                let bare = try openssl(["ec", "-inform", "DER", "-in", "key.der", "-outform", "DER", "-no_public"])
                #expect(bare.count < sec1.count)
                #expect(try CurvePrivateKey(sec1: SecretBytes(bare)).publicKey == key.publicKey)
                let barePKCS8 = try openssl(
                    ["pkcs8", "-topk8", "-nocrypt", "-inform", "DER", "-outform", "DER"],
                    openssl(["ec", "-inform", "DER", "-in", "key.der", "-outform", "DER", "-no_public"])
                )
                #expect(try PrivateKey(pkcs8: SecretBytes(barePKCS8)).publicKey == key.publicKey)
            }
        }
    }

    @Test("RSA keys are the same in all forms", arguments: [1024, 2048])
    func rsaForms(_ size: Int) throws {
        try inFolder {
            for key in [try madeRSA(size), try PrivateKey.generate(.rsa, sizeInBits: size)] {
                try write(key)
                #expect(key.publicKey.sizeInBits == size)
                let info = try openssl(["pkey", "-inform", "DER", "-in", "key.der", "-outform", "DER", "-pubout"])
                #expect(info == key.publicKey.subjectPublicKeyInfo)
                #expect(PublicKey(subjectPublicKeyInfo: info) == key.publicKey)
                let pkcs8 = try openssl([
                    "pkcs8", "-topk8", "-nocrypt", "-inform", "DER", "-in", "key.der", "-outform", "DER",
                ])
                #expect(pkcs8 == (try key.pkcs8.revealed))
                let pkcs1 = try openssl(["rsa", "-inform", "DER", "-in", "key.der", "-traditional", "-outform", "DER"])
                #expect(pkcs1 == (try key.externalRepresentation.revealed))
                #expect(try PrivateKey(externalRepresentation: SecretBytes(pkcs1), .rsa).publicKey == key.publicKey)
                let check = try openssl(["rsa", "-inform", "DER", "-in", "key.der", "-check", "-noout"])
                #expect(String(decoding: check, as: UTF8.self).contains("RSA key ok"))
            }
        }
    }

    // MARK: Signatures

    private static let digests = KeyHash.allCases

    private func digest(_ hash: KeyHash) throws -> [UInt8] {
        try openssl(["dgst", "-\(hash.rawValue.lowercased())", "-binary"], message)
    }

    @Test("ECDSA signatures verify on both sides", arguments: curves, digests)
    func ecdsa(_ curve: EllipticCurve, _ hash: KeyHash) throws {
        try inFolder {
            let key = try made(curve)
            try write(key)
            let name = "-\(hash.rawValue.lowercased())"
            let digest = try digest(hash)
            #expect(digest == (try hash.digest(of: message)))
            for form in [KeyAlgorithm.ecdsaSignature(.x962, .digest, hash), .ecdsaSignature(.x962, .digest, nil)] {
                try write(key.signature(of: digest, form), "signature")
                let answer = try openssl(
                    ["dgst", name, "-verify", "public.der", "-keyform", "DER", "-signature", "signature"],
                    message
                )
                #expect(String(decoding: answer, as: UTF8.self).contains("Verified OK"))
            }
            let theirs = try openssl(["dgst", name, "-sign", "key.der", "-keyform", "DER"], message)
            try key.publicKey.verify(theirs, of: digest, .ecdsaSignature(.x962, .digest, hash))
            try key.publicKey.verify(theirs, of: digest, .ecdsaSignature(.x962, .digest, nil))
            try key.publicKey.verify(theirs, of: message, .ecdsaSignature(.x962, .message, hash))
        }
    }

    @Test("ECDSA takes digests of any length but none", arguments: curves)
    func digestsOfAnyLength(_ curve: EllipticCurve) throws {
        try inFolder {
            let key = try made(curve)
            try write(key)
            for count in [1, 20, 31, 32, 33, 47, 49, 64, 65, 66, 67, 100] {
                // The last bits matter where the curve's order is longer.
                let digest = (0..<count).map { UInt8(truncatingIfNeeded: 0xF1 &+ $0 * 7) }
                for form in KeyAlgorithm.ECDSAForm.allCases {
                    let algorithm = KeyAlgorithm.ecdsaSignature(form, .digest, nil)
                    let signature = try key.signature(of: digest, algorithm)
                    try key.publicKey.verify(signature, of: digest, algorithm)
                    // OpenSSL's command takes no more.
                    guard form == .x962, count <= 64 else { continue }
                    try write(signature, "signature")
                    let answer = try openssl(
                        ["pkeyutl", "-verify", "-sigfile", "signature"] + publicKey,
                        digest
                    )
                    #expect(String(decoding: answer, as: UTF8.self).contains("Verified Successfully"), "\(count)")
                }
                guard count <= 64 else { continue }
                let theirs = try openssl(["pkeyutl", "-sign"] + privateKey, digest)
                try key.publicKey.verify(theirs, of: digest, .ecdsaSignature(.x962, .digest, nil))
            }
        }
    }

    @Test("RSA signatures verify on both sides", arguments: KeyAlgorithm.RSASignaturePadding.allCases, digests)
    func rsa(_ padding: KeyAlgorithm.RSASignaturePadding, _ hash: KeyHash) throws {
        try inFolder {
            let key = try SharedKeys.rsa2048.get()
            try write(key)
            let digest = try digest(hash)
            let options =
                ["-\(hash.rawValue.lowercased())"]
                + (padding == .pss
                    ? ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"] : [])
            for ours in [
                try key.signature(of: digest, .rsaSignature(padding, .digest, hash)),
                try key.signature(of: message, .rsaSignature(padding, .message, hash)),
            ] {
                try write(ours, "signature")
                let answer = try openssl(
                    ["dgst"] + options + ["-verify", "public.der", "-keyform", "DER", "-signature", "signature"],
                    message
                )
                #expect(String(decoding: answer, as: UTF8.self).contains("Verified OK"))
            }
            let theirs = try openssl(["dgst"] + options + ["-sign", "key.der", "-keyform", "DER"], message)
            try key.publicKey.verify(theirs, of: digest, .rsaSignature(padding, .digest, hash))
            try key.publicKey.verify(theirs, of: message, .rsaSignature(padding, .message, hash))
        }
    }

    @Test("RSA signs what is not padded, and what is no digest")
    func rawSignatures() throws {
        try inFolder {
            let key = try SharedKeys.rsa2048.get()
            try write(key)
            let block = [0] + [UInt8](repeating: 0xA5, count: 255)
            let none = ["-pkeyopt", "rsa_padding_mode:none"]
            let raw = try key.signature(of: block, .rsaSignatureRaw)
            // It is what decrypts, too.
            #expect(raw == (try openssl(["pkeyutl", "-decrypt"] + privateKey + none, block)))
            #expect(raw == (try key.decrypted(block, .rsaEncryption(.none)).revealed))
            try write(raw, "signature")
            #expect(try openssl(["pkeyutl", "-verifyrecover", "-in", "signature"] + publicKey + none) == block)
            // As many zeros as are missing stand in front.
            #expect(try key.signature(of: Array(block.dropFirst()), .rsaSignatureRaw) == raw)
            let padded = try key.signature(of: message, .rsaSignaturePKCS1v15)
            #expect(padded == (try openssl(["pkeyutl", "-sign"] + privateKey, message)))
            try write(padded, "signature")
            #expect(try openssl(["pkeyutl", "-verifyrecover", "-in", "signature"] + publicKey) == message)
        }
    }

    // MARK: Secrets

    @Test("Both sides come to the same secret", arguments: curves)
    func exchange(_ curve: EllipticCurve) throws {
        try inFolder {
            let (own, peer) = (try made(curve), PrivateKey(try CurvePrivateKey(generatedOn: curve)))
            try write(own.pkcs8.revealed, "key.der")
            try write(peer.publicKey.subjectPublicKeyInfo, "peer.der")
            let theirs = try openssl(
                ["pkeyutl", "-derive"] + privateKey + ["-peerkey", "peer.der", "-peerform", "DER"]
            )
            for kind in KeyAlgorithm.SharedSecretKind.allCases {
                #expect(try own.exchange(with: peer.publicKey, .keyExchange(kind, nil)).revealed == theirs)
                #expect(try peer.exchange(with: own.publicKey, .keyExchange(kind, nil)).revealed == theirs)
            }
            let derived = try openssl([
                "kdf", "-binary", "-keylen", "77", "-kdfopt", "digest:SHA384", "-kdfopt",
                "hexkey:\(theirs.hexadecimal)",
                "-kdfopt", "hexinfo:\("shared".bytes.hexadecimal)", "X963KDF",
            ])
            let parameters = KeyExchangeParameters(requestedSize: 77, sharedInfo: "shared".bytes)
            #expect(
                try own.exchange(with: peer.publicKey, .keyExchange(.standard, .sha384), parameters).revealed == derived
            )
        }
    }

    // MARK: Encryption

    fileprivate func options(_ padding: KeyAlgorithm.RSAEncryptionPadding) -> [String] {
        switch padding {
        case .none: ["-pkeyopt", "rsa_padding_mode:none"]
        case .pkcs1: ["-pkeyopt", "rsa_padding_mode:pkcs1"]
        case .oaep(let hash):
            [
                "-pkeyopt", "rsa_padding_mode:oaep", "-pkeyopt", "rsa_oaep_md:\(hash.rawValue.lowercased())",
                "-pkeyopt", "rsa_mgf1_md:\(hash.rawValue.lowercased())",
            ]
        }
    }

    @Test(
        "RSA ciphertexts are decrypted on both sides",
        arguments: [KeyAlgorithm.RSAEncryptionPadding.none, .pkcs1] + KeyHash.allCases.map { .oaep($0) },
        [0, 1, 62]
    )
    func rsaEncryption(_ padding: KeyAlgorithm.RSAEncryptionPadding, _ size: Int) throws {
        try inFolder {
            let key = try SharedKeys.rsa2048.get()
            try write(key)
            let plaintext =
                padding == .none
                ? [0] + [UInt8](repeating: 7, count: 255 - size) + [UInt8](repeating: 9, count: size)
                : [UInt8](repeating: 0x42, count: size)
            let algorithm = KeyAlgorithm.rsaEncryption(padding)
            let theirs = try openssl(["pkeyutl", "-encrypt"] + publicKey + options(padding), plaintext)
            #expect(try key.decrypted(theirs, algorithm).revealed == plaintext)
            try write(key.publicKey.encrypted(plaintext, algorithm), "ciphertext")
            let decrypted = try openssl(
                ["pkeyutl", "-decrypt", "-in", "ciphertext"] + privateKey + options(padding)
            )
            #expect(decrypted == plaintext)
        }
    }
}

extension OpenSSLTests {
    @Test(
        "RSA keys whose bits do not fill their bytes encrypt, decrypt, sign and verify",
        arguments: [1025, 1100, 2047]
    )
    func oddSizes(_ size: Int) throws {
        try inFolder {
            let key = try PrivateKey.generate(.rsa, sizeInBits: size)
            try write(key)
            for hash in [KeyHash.sha1, .sha256, .sha384] {
                let padding = KeyAlgorithm.RSAEncryptionPadding.oaep(hash)
                let ours = try key.publicKey.encrypted(Array(message.prefix(10)), .rsaEncryption(padding))
                try write(ours, "ciphertext")
                let opened = try openssl(["pkeyutl", "-decrypt", "-in", "ciphertext"] + privateKey + options(padding))
                #expect(opened == Array(message.prefix(10)))
                let theirs = try openssl(["pkeyutl", "-encrypt"] + publicKey + options(padding), opened)
                #expect(try key.decrypted(theirs, .rsaEncryption(padding)).revealed == opened)
                #expect(
                    failure { try key.decrypted(theirs.changed(at: 9), .rsaEncryption(padding)) } == .invalidParameter
                )
            }
            try write(key.publicKey.encrypted([1, 2], .rsaEncryption(.pkcs1)), "ciphertext")
            #expect(try openssl(["pkeyutl", "-decrypt", "-in", "ciphertext"] + privateKey) == [1, 2])
            for algorithm in SignatureTests.algorithms
            where algorithm.availability(of: .sign, by: .rsa(sizeInBits: size)) == .works {
                guard case .rsaSignature(_, .message, _) = algorithm else { continue }
                let signature = try key.signature(of: message, algorithm)
                try key.publicKey.verify(signature, of: message, algorithm)
                #expect(failure { try key.publicKey.verify(signature, of: [1], algorithm) } == .verifyFailed)
            }
        }
    }

    @Test(
        "AES-GCM under a key in OAEP is decrypted for every function that OpenSSL encrypts with",
        arguments: [1024, 2048, 4096]
    )
    func sessionKeys(_ size: Int) throws {
        try inFolder {
            let key = try [1024: SharedKeys.rsa1024, 2048: SharedKeys.rsa2048, 4096: SharedKeys.rsa4096][size]?.get()
            guard let key else { throw KeychainError(.internalError, "no key") }
            try write(key)
            for hash in KeyHash.allCases {
                let algorithm = KeyAlgorithm.rsaEncryptionAESGCM(hash)
                guard algorithm.availability(of: .decrypt, by: key.publicKey.keyKind) == .works else { continue }
                let sessionKey = [UInt8](repeating: 0x17, count: size < 4096 ? 16 : 32)
                let carried = try openssl(["pkeyutl", "-encrypt"] + publicKey + options(.oaep(hash)), sessionKey)
                let box = try AES.GCM.seal(
                    message,
                    using: SymmetricKey(data: sessionKey),
                    nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 16)),
                    authenticating: key.publicKey.externalRepresentation
                )
                let theirs = carried + box.ciphertext + box.tag
                #expect(try key.decrypted(theirs, algorithm).revealed == message)
                // A session key of another length is none, even if AES has keys of that length.
                for count in [1, size < 4096 ? 24 : 16] {
                    let other = [UInt8](repeating: 0x17, count: count)
                    let carried = try openssl(["pkeyutl", "-encrypt"] + publicKey + options(.oaep(hash)), other)
                    let sealed = try? AES.GCM.seal(
                        message,
                        using: SymmetricKey(data: other),
                        nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 16)),
                        authenticating: key.publicKey.externalRepresentation
                    )
                    let wrong = carried + (sealed?.ciphertext ?? box.ciphertext) + (sealed?.tag ?? box.tag)
                    #expect(failure { try key.decrypted(wrong, algorithm) } == .invalidParameter)
                }
                guard algorithm.availability(of: .encrypt, by: key.publicKey.keyKind) == .works else { continue }
                let ours = try key.publicKey.encrypted(message, algorithm)
                try write(Array(ours.prefix(size / 8)), "carried")
                let opened = try openssl(["pkeyutl", "-decrypt", "-in", "carried"] + privateKey + options(.oaep(hash)))
                #expect(opened.count == sessionKey.count)
                let plaintext = try AES.GCM.open(
                    AES.GCM.SealedBox(
                        nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 16)),
                        ciphertext: ours.dropFirst(size / 8).dropLast(16),
                        tag: ours.suffix(16)
                    ),
                    using: SymmetricKey(data: opened),
                    authenticating: key.publicKey.externalRepresentation
                )
                #expect(Array(plaintext) == message)
            }
        }
    }
}

extension PrivateKey.Backing {
    /// The key, if it is on a curve and in this process.
    var curveKey: CurvePrivateKey {
        get throws {
            guard case .ellipticCurve(let key) = self else { throw KeychainError(.internalError, "no key on a curve") }
            return try key.inThisProcess
        }
    }
}
