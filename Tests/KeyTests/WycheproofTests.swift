import Foundation
import KeychainCertificates
import KeychainModel
import Testing

@testable import KeychainKeys

@Suite("Wycheproof")
struct WycheproofTests {
    private typealias Form = KeyAlgorithm.ECDSAForm

    @Test("ECDSA verifies what is valid, and refuses what is not", arguments: Vectors.names("ecdsa_"))
    func ecdsa(_ name: String) throws {
        let form: Form = name.hasSuffix("_p1363") ? .rfc4754 : .x962
        try Vectors.check(name, atLeast: 200) { group, vector in
            let key = try #require(PublicKey(point: group.key.bytes()))
            let hash = try #require(group.hash)
            let (message, signature) = (try vector.msg.bytes(), try vector.sig.bytes())
            let digest = try hash.digest(of: message)
            // A message, its digest, and a digest of any length come to the same.
            let failures = [
                failure { try key.verify(signature, of: message, .ecdsaSignature(form, .message, hash)) },
                failure { try key.verify(signature, of: digest, .ecdsaSignature(form, .digest, hash)) },
                failure { try key.verify(signature, of: digest, .ecdsaSignature(form, .digest, nil)) },
            ]
            let expected: KeychainError.Code? = vector.result == .valid ? nil : .verifyFailed
            return failures == [expected, expected, expected] ? nil : "\(vector.result), \(failures)"
        }
    }

    @Test("DER and two numbers are turned into each other without loss", arguments: Vectors.names("ecdsa_"))
    func ecdsaForms(_ name: String) throws {
        guard !name.hasSuffix("_p1363") else { return }
        try Vectors.check(name, atLeast: 200) { group, vector in
            guard case .ellipticCurve(let curve) = PublicKey(point: try group.key.bytes())?.keyKind else {
                return "no key"
            }
            let der = try vector.sig.bytes()
            guard let signature = ECDSASignature(der: der, on: curve) else {
                return vector.result == .valid ? "refused" : nil
            }
            return signature.der == der && ECDSASignature(raw: signature.raw, on: curve) == signature ? nil : "differs"
        }
    }

    @Test("ECDH comes to the same secret, and takes no other points", arguments: Vectors.names("ecdh_"))
    func ecdh(_ name: String) throws {
        let curve = try #require(curves.first { name.contains("secp\($0.sizeInBits)r1") })
        try Vectors.check(name, atLeast: 130) { group, vector in
            let own = try CurvePrivateKey(curve, number: SecretBytes(curve.padded(vector.private.bytes())))
            let bytes = try vector.public.bytes()
            let peer = group.encoding == "ecpoint" ? PublicKey(point: bytes) : PublicKey(subjectPublicKeyInfo: bytes)
            let shared = peer.flatMap { peer in
                try? own.exchange(with: peer, .keyExchange(.standard, nil)).revealed
            }
            switch vector.result {
            case .valid: return shared == (try vector.shared.bytes()) ? nil : "another secret, or none"
            // Compressed points, and curves by their parameters: docs/keys.md.
            case .acceptable, .invalid: return shared == nil ? nil : "\(vector.result), and taken"
            }
        }
    }

    @Test(
        "PKCS #1 signatures verify where they are valid, and nowhere else",
        arguments: Vectors.names("rsa_signature_")
    )
    func pkcs1(_ name: String) throws {
        try Vectors.check(name, atLeast: 60) { group, vector in
            let key = try #require(PublicKey(rsa: group.key.bytes()))
            let hash = try #require(group.hash)
            let (message, signature) = (try vector.msg.bytes(), try vector.sig.bytes())
            let answer = failure {
                try key.verify(signature, of: message, .rsaSignature(.pkcs1v15, .message, hash))
            }
            let digest = try hash.digest(of: message)
            let others = [
                failure { try key.verify(signature, of: digest, .rsaSignature(.pkcs1v15, .digest, hash)) },
                failure { try key.verify(signature, of: DigestInfo.prefix(of: hash) + digest, .rsaSignaturePKCS1v15) },
            ]
            let expected: KeychainError.Code? = vector.result == .valid ? nil : .verifyFailed
            return [answer] + others == [expected, expected, expected] ? nil : "\(vector.result), \([answer] + others)"
        }
    }

    @Test("PSS verifies with its own function and salt, and with no other", arguments: Vectors.names("rsa_pss_"))
    func pss(_ name: String) throws {
        try Vectors.check(name, atLeast: 30) { group, vector in
            let key = try #require(PublicKey(rsa: group.key.bytes()))
            let hash = try #require(group.hash)
            let algorithm = KeyAlgorithm.rsaSignature(.pss, .message, hash)
            let message = try vector.msg.bytes()
            let answer = failure { try key.verify(vector.sig.bytes(), of: message, algorithm) }
            switch algorithm.availability(of: .verify, by: key.keyKind) {
            case .isRefused: return answer == .invalidParameter ? nil : "not refused"
            case .isMissing: return answer == .unimplemented ? nil : "not missing"
            case .works: break
            }
            let digest = try hash.digest(of: message)
            let other = failure {
                try key.verify(vector.sig.bytes(), of: digest, .rsaSignature(.pss, .digest, hash))
            }
            // One of the changes of the salt's length is to the length that is ours.
            let isOurs = group.mgfHash == hash && group.salt == hash.size
            let becameOurs = group.mgfHash == hash && vector.comment == "s_len changed to \(hash.size)"
            if becameOurs { return answer == nil && other == nil ? nil : "ours, and refused" }
            let expected: KeychainError.Code? = vector.result == .valid && isOurs ? nil : .verifyFailed
            return answer == expected && other == expected ? nil : "\(vector.result), \([answer, other])"
        }
    }

    @Test(
        "PKCS #1 signatures are made to the last bit",
        arguments: Vectors.names("rsa_pkcs1_").filter { $0.hasSuffix("gen") }
    )
    func pkcs1Generation(_ name: String) throws {
        var keys: [[UInt8]: PrivateKey] = [:]
        try Vectors.check(name, atLeast: 20) { group, vector in
            let bytes = try group.key.bytes()
            let key = try keys[bytes] ?? PrivateKey(pkcs8: SecretBytes(bytes))
            keys[bytes] = key
            let hash = try #require(group.hash)
            let (message, signature) = (try vector.msg.bytes(), try vector.sig.bytes())
            let algorithm = KeyAlgorithm.rsaSignature(.pkcs1v15, .message, hash)
            let info = DigestInfo.prefix(of: hash) + (try hash.digest(of: message))
            let made = [
                try key.signature(of: message, algorithm),
                try key.signature(of: info, .rsaSignaturePKCS1v15),
            ]
            return made == [signature, signature] ? nil : "another signature"
        }
    }

    @Test("OAEP decrypts what is valid, and refuses all else with one error", arguments: Vectors.names("rsa_oaep_"))
    func oaep(_ name: String) throws {
        var keys: [[UInt8]: PrivateKey] = [:]
        var errors: Set<String> = []
        try Vectors.check(name, atLeast: 30) { group, vector in
            let bytes = try group.key.bytes()
            let key = try keys[bytes] ?? PrivateKey(pkcs8: SecretBytes(bytes))
            keys[bytes] = key
            let hash = try #require(group.hash)
            let ciphertext = try vector.ct.bytes()
            let algorithm = KeyAlgorithm.rsaEncryption(.oaep(hash))
            var plaintext: [UInt8]?
            do {
                plaintext = try key.decrypted(ciphertext, algorithm).revealed
            } catch {
                // A length that no ciphertext has is known to everybody.
                if ciphertext.count == key.publicKey.blockSize { errors.insert("\(error)") }
            }
            let isOurs = group.mgfHash == hash && vector.label?.isEmpty ?? true
            switch vector.result {
            case .valid where isOurs, .acceptable where isOurs:
                return plaintext == (try vector.msg.bytes()) ? nil : "\(vector.result), and not decrypted"
            default: return plaintext == nil ? nil : "\(vector.result), and decrypted"
            }
        }
        #expect(errors.count <= 1, "failures can be told apart: \(errors)")
    }

    @Test("PKCS #1 decrypts what is valid, and refuses all else with one error", arguments: [2048, 3072, 4096])
    func pkcs1Decryption(_ size: Int) throws {
        var keys: [[UInt8]: PrivateKey] = [:]
        var errors: Set<String> = []
        try Vectors.check("rsa_pkcs1_\(size)", atLeast: 60) { group, vector in
            let bytes = try group.key.bytes()
            let key = try keys[bytes] ?? PrivateKey(pkcs8: SecretBytes(bytes))
            keys[bytes] = key
            let ciphertext = try vector.ct.bytes()
            var plaintext: [UInt8]?
            do {
                plaintext = try key.decrypted(ciphertext, .rsaEncryption(.pkcs1)).revealed
            } catch {
                if ciphertext.count == key.publicKey.blockSize { errors.insert("\(error)") }
            }
            guard vector.result == .valid else { return plaintext == nil ? nil : "\(vector.result), and decrypted" }
            return plaintext == (try vector.msg.bytes()) ? nil : "not decrypted"
        }
        #expect(errors.count == 1, "failures can be told apart: \(errors)")
    }
}
