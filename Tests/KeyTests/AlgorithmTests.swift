import Crypto
import Foundation
import KeychainCertificates
import KeychainModel
import Testing

@testable import KeychainKeys

@Suite("Algorithms")
struct AlgorithmTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let rsa = KeyKind.rsa(sizeInBits: 2048)

    @Test("Every name that the façade declares is known, and no other")
    func names() throws {
        let file = Self.root.appending(path: "Sources/Facades/Security/Constants/Algorithms.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let declared = text.matches(of: /"(algid:[^"]+)"/).map { String($0.output.1) }
        #expect(declared.count > 80)
        for name in declared { #expect(KeyAlgorithm(identifier: name) != nil, "\(name)") }
        let deprecated = "algid:sign:ECDSA:RFC4754"
        #expect(Set(declared) == Set(KeyAlgorithm.all.map(\.identifier) + [deprecated]))
        #expect(KeyAlgorithm(identifier: deprecated) == .ecdsaSignature(.rfc4754, .digest, nil))
        for algorithm in KeyAlgorithm.all { #expect(KeyAlgorithm(identifier: algorithm.identifier) == algorithm) }
        #expect(Set(KeyAlgorithm.all).count == KeyAlgorithm.all.count)
        for name in [
            "", "algid:", "algid:sign:RSA:RAW", "algid:sign:RSA:raw ", "algid:sign:EdDSA:message-Curve25519:SHA512",
        ] {
            #expect(KeyAlgorithm(identifier: name) == nil)
        }
    }

    @Test("The list in the documentation is what there is")
    func documentation() throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/keys.md"), encoding: .utf8)
        for algorithm in KeyAlgorithm.all {
            #expect(text.contains(Self.row(algorithm)), "missing: \(Self.row(algorithm))")
        }
    }

    /// What docs/keys.md says of an algorithm.
    private static func row(_ algorithm: KeyAlgorithm) -> String {
        let kinds = [rsa, .ellipticCurve(.p256)]
        let operations = KeyOperation.allCases.filter { operation in
            kinds.contains { algorithm.availability(of: operation, by: $0) != .isRefused }
        }
        let words = operations.map { operation in
            let answers = kinds.map { algorithm.availability(of: operation, by: $0) }
            return switch answers.first(where: { $0 != .isRefused }) {
            case .isMissing(let gap): "\(operation): – (\(word(gap)))"
            default: "\(operation): works"
            }
        }
        return "| `\(algorithm.identifier)` | \(words.joined(separator: " | ")) |"
    }

    private static func word(_ gap: Gap) -> String {
        switch gap {
        case .library: "libcrypto"
        case .rsaSize, .rsaExponent, .rsaPartialByte: "size"
        }
    }

    @Test("Where libcrypto is, no algorithm is missing; where it is not, the error names it")
    func gaps() {
        #expect(Libcrypto.isPresent)
        for algorithm in KeyAlgorithm.all {
            for operation in KeyOperation.allCases {
                for kind in [Self.rsa, .ellipticCurve(.p384)] {
                    let answer = algorithm.availability(of: operation, by: kind)
                    #expect(answer == .works || answer == .isRefused, "\(operation), \(algorithm.identifier)")
                }
            }
        }
        let absent = Libcrypto(name: "libnothing.so.0")
        #expect(!absent.isPresent)
        for error in [
            #expect(throws: KeychainError.self) { try absent.sha224(of: SecretBytes([])) },
            #expect(throws: KeychainError.self) { try absent.generatedKey(sizeInBits: 1100) },
        ] {
            #expect(error?.code == .unimplemented)
            #expect("\(error.debugDescription)".contains("libnothing.so.0"))
        }
    }

    @Test("Whatever is not supported fails, and whatever is supported works", arguments: KeyAlgorithm.all)
    func supportIsTrue(_ algorithm: KeyAlgorithm) throws {
        let keys = [
            try SharedKeys.rsa1024.get(), try SharedKeys.rsa2048.get(),
            try PrivateKey.generate(.ellipticCurve, sizeInBits: 256),
        ]
        for key in keys {
            let other = try PrivateKey.generate(.ellipticCurve, sizeInBits: 256).publicKey
            let size: Int
            switch algorithm {
            case .rsaSignature(_, .digest, let hash): size = hash.size
            case .ecdsaSignature(_, .digest, let hash): size = hash?.size ?? 5
            default: size = 1
            }
            let data =
                algorithm == .rsaSignaturePKCS1v15
                ? DigestInfo.prefix(of: .sha1) + [UInt8](repeating: 1, count: 20) : [UInt8](repeating: 1, count: size)
            let parameters = KeyExchangeParameters(requestedSize: 16)
            let signed = failure { try key.signature(of: data, algorithm) }
            #expect((signed == nil) == key.supports(.sign, algorithm))
            let exchanged = failure { try key.exchange(with: other, algorithm, parameters) }
            #expect((exchanged == nil) == key.supports(.exchange, algorithm))
            let encrypted = failure { try key.publicKey.encrypted(data, algorithm) }
            #expect((encrypted == nil) == key.publicKey.supports(.encrypt, algorithm))
            // What is no signature and no ciphertext is told so only where something was looked at.
            let verified = failure { try key.publicKey.verify([1, 2, 3], of: data, algorithm) }
            #expect((verified == .verifyFailed) == key.publicKey.supports(.verify, algorithm))
            let garbage = [UInt8](repeating: 0, count: key.publicKey.blockSize - 1) + [UInt8](repeating: 1, count: 64)
            let whole = algorithm.isWholeBlock ? Array(garbage.prefix(key.publicKey.blockSize)) : garbage
            let decrypted = failure { try key.decrypted(whole, algorithm) }
            let isTried = wasDecryptionTried { try key.decrypted(whole, algorithm) }
            #expect(isTried == key.supports(.decrypt, algorithm), "\(algorithm), \(decrypted.debugDescription)")
            // What the other half does.
            for operation in [KeyOperation.sign, .exchange] {
                #expect(!key.publicKey.supports(operation, algorithm))
            }
            let isOpened = wasDecryptionTried { try key.publicKey.decrypted(whole, algorithm) }
            #expect(isOpened == key.publicKey.supports(.decrypt, algorithm), "\(algorithm)")
            #expect(!key.supports(.encrypt, algorithm))
            if case .ellipticCurve = key.publicKey.keyKind { #expect(!key.supports(.verify, algorithm)) }
            let failures = [signed, exchanged, encrypted, verified, decrypted]
            #expect(
                failures.allSatisfy {
                    [nil, .invalidParameter, .unimplemented, .verifyFailed, .undecodable].contains($0)
                }
            )
        }
    }

    @Test("Keys support what Apple's support")
    func support() throws {
        func supports(_ name: String, _ operation: KeyOperation, _ half: KeyHalf, _ kind: KeyKind) throws -> Bool {
            try KeyAlgorithm.named("algid:" + name).isSupported(for: operation, by: half, of: kind)
        }
        let curve = KeyKind.ellipticCurve(.p256)
        #expect(try supports("encrypt:RSA:PKCS1", .encrypt, .publicKey, Self.rsa))
        #expect(try !supports("encrypt:RSA:PKCS1", .encrypt, .privateKey, Self.rsa))
        #expect(try supports("encrypt:RSA:OAEP:SHA1:AESGCM", .decrypt, .privateKey, Self.rsa))
        #expect(try !supports("encrypt:RSA:OAEP:SHA1:AESGCM", .decrypt, .publicKey, Self.rsa))
        for opened in ["raw", "PKCS1", "OAEP:SHA1", "OAEP:SHA224", "OAEP:SHA256"] {
            #expect(try supports("encrypt:RSA:" + opened, .decrypt, .publicKey, Self.rsa))
        }
        for other in ["OAEP:SHA384", "OAEP:SHA512", "OAEP:SHA256:AESGCM"] {
            #expect(try !supports("encrypt:RSA:" + other, .decrypt, .publicKey, Self.rsa))
        }
        #expect(try supports("encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM", .decrypt, .privateKey, curve))
        #expect(try !supports("encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM", .decrypt, .publicKey, curve))
        #expect(try supports("sign:RSA:message-PKCS1v15:SHA256", .verify, .privateKey, Self.rsa))
        #expect(try !supports("sign:ECDSA:message-X962:SHA256", .verify, .privateKey, curve))
        // Two digests and two bytes have to fit.
        #expect(try !supports("sign:RSA:message-PSS:SHA512:SHA512:64", .sign, .privateKey, .rsa(sizeInBits: 1024)))
        #expect(try supports("sign:RSA:message-PSS:SHA384:SHA384:48", .sign, .privateKey, .rsa(sizeInBits: 1024)))
        #expect(try !supports("encrypt:RSA:OAEP:SHA512", .decrypt, .privateKey, .rsa(sizeInBits: 1024)))
        #expect(try supports("encrypt:RSA:OAEP:SHA384", .decrypt, .privateKey, .rsa(sizeInBits: 1024)))
        for bits in [512, 1023, 8193, 16384] {
            #expect(try !supports("sign:RSA:message-PKCS1v15:SHA256", .verify, .publicKey, .rsa(sizeInBits: bits)))
        }
        #expect(try supports("sign:RSA:message-PKCS1v15:SHA256", .verify, .publicKey, .rsa(sizeInBits: 1025)))
        #expect(try supports("encrypt:RSA:PKCS1", .encrypt, .publicKey, .rsa(sizeInBits: 1025)))
        #expect(try !supports("encrypt:RSA:PKCS1", .decrypt, .privateKey, .rsa(sizeInBits: 1025)))
    }

    @Test("A digest that somebody else computed is taken as it is")
    func rebuiltDigests() {
        let message = "abc".bytes
        #expect(SHA256.Digest.rebuilt(from: Array(SHA256.hash(data: message))) == SHA256.hash(data: message))
        #expect(SHA384.Digest.rebuilt(from: Array(SHA384.hash(data: message))) == SHA384.hash(data: message))
        #expect(SHA512.Digest.rebuilt(from: Array(SHA512.hash(data: message))) == SHA512.hash(data: message))
        #expect(
            Insecure.SHA1.Digest.rebuilt(from: Array(Insecure.SHA1.hash(data: message)))
                == Insecure.SHA1.hash(data: message)
        )
        for count in [0, 19, 21, 24, 31, 33, 64] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(Insecure.SHA1.Digest.rebuilt(from: bytes) == nil)
            #expect(SHA256.Digest.rebuilt(from: bytes) == nil)
        }
        // This one has no bytes of its own.
        #expect(AnyDigest.rebuilt(from: []) == nil)
    }

    @Test("The curves' orders are the standards'")
    func orders() {
        let digits = [
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
            "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d0"
                + "3bb5c9b8899c47aebb6fb71e91386409",
        ]
        #expect(curves.map { $0.order.hexadecimal } == digits)
    }
}

/// Whether a decryption succeeds, or fails because of the ciphertext and not of the algorithm.
private func wasDecryptionTried(_ body: () throws -> SecretBytes) -> Bool {
    switch wholeError(body) {
    case nil, wrongRSAInput: true
    case let error?: error.hasPrefix("undecodable")
    }
}

extension KeyAlgorithm {
    /// Whether what is decrypted is as long as the modulus.
    fileprivate var isWholeBlock: Bool {
        if case .rsaEncryption = self { true } else { false }
    }
}
