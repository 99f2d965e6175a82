import Foundation
import KeychainCertificates
import KeychainModel
import Synchronization
import Testing

@testable import KeychainKeys

@Suite("Operations")
struct OperationTests {
    // MARK: Signatures

    @Test("A digest has to be as long as its function makes it", arguments: KeyHash.allCases)
    func digestLengths(_ hash: KeyHash) throws {
        let curve = try PrivateKey.generate(.ellipticCurve, sizeInBits: 256)
        let rsa = try SharedKeys.rsa2048.get()
        for size in [0, 1, hash.size - 1, hash.size + 1, 2 * hash.size] {
            let digest = [UInt8](repeating: 3, count: size)
            for form in KeyAlgorithm.ECDSAForm.allCases {
                let algorithm = KeyAlgorithm.ecdsaSignature(form, .digest, hash)
                #expect(failure { try curve.signature(of: digest, algorithm) } == .invalidParameter)
                #expect(failure { try curve.publicKey.verify([], of: digest, algorithm) } == .invalidParameter)
            }
            let algorithm = KeyAlgorithm.rsaSignature(.pkcs1v15, .digest, hash)
            #expect(failure { try rsa.signature(of: digest, algorithm) } == .invalidParameter)
            let verified = failure { try rsa.publicKey.verify([], of: digest, algorithm) }
            #expect(verified == .invalidParameter)
        }
        // Anybody makes a signature of nothing: s = r/u, where r is the X coordinate of u times the public key.
        for form in KeyAlgorithm.ECDSAForm.allCases {
            let algorithm = KeyAlgorithm.ecdsaSignature(form, .digest, nil)
            #expect(failure { try curve.signature(of: [], algorithm) } == .invalidParameter)
            #expect(failure { try curve.publicKey.verify([1], of: [], algorithm) } == .invalidParameter)
        }
    }

    @Test("A signature with any byte changed, or of anything else, does not verify")
    func changedSignatures() throws {
        let message = "a message".bytes
        let keys =
            [try SharedKeys.rsa1024.get()] + (try curves.map { PrivateKey(try CurvePrivateKey(generatedOn: $0)) })
        for key in keys {
            for algorithm in KeyAlgorithm.all
            where key.supports(.sign, algorithm) && key.publicKey.supports(.verify, algorithm) {
                switch algorithm {
                case .rsaSignature(_, .message, .sha256), .ecdsaSignature(_, .message, .sha256): break
                default: continue
                }
                let signature = try key.signature(of: message, algorithm)
                func verified(_ signature: [UInt8], _ data: [UInt8]) -> KeychainError.Code? {
                    failure { try key.publicKey.verify(signature, of: data, algorithm) }
                }
                #expect(verified(signature, message) == nil)
                for index in signature.indices {
                    #expect(verified(signature.changed(at: index), message) == .verifyFailed)
                }
                for count in 0..<signature.count {
                    #expect(verified(Array(signature.prefix(count)), message) == .verifyFailed)
                }
                #expect(verified(signature + [0], message) == .verifyFailed)
                #expect(verified([0] + signature, message) == .verifyFailed)
                #expect(verified([UInt8](repeating: 0, count: signature.count), message) == .verifyFailed)
                #expect(verified([UInt8](repeating: 0xFF, count: signature.count), message) == .verifyFailed)
                #expect(verified(signature, message + [0]) == .verifyFailed)
                #expect(verified(signature, []) == .verifyFailed)
                let other = try PrivateKey.generate(.ellipticCurve, sizeInBits: 256)
                if other.publicKey.keyKind == key.publicKey.keyKind {
                    #expect(failure { try other.publicKey.verify(signature, of: message, algorithm) } == .verifyFailed)
                }
            }
        }
    }

    @Test("Messages and digests, with a function and without, are signed the same")
    func crossing() throws {
        let key = try PrivateKey.generate(.ellipticCurve, sizeInBits: 384)
        for hash in KeyHash.allCases {
            let message = "a message".bytes
            let digest = try hash.digest(of: message)
            for form in KeyAlgorithm.ECDSAForm.allCases {
                let signatures = [
                    try key.signature(of: message, .ecdsaSignature(form, .message, hash)),
                    try key.signature(of: digest, .ecdsaSignature(form, .digest, hash)),
                    try key.signature(of: digest, .ecdsaSignature(form, .digest, nil)),
                ]
                for signature in signatures {
                    try key.publicKey.verify(signature, of: message, .ecdsaSignature(form, .message, hash))
                    try key.publicKey.verify(signature, of: digest, .ecdsaSignature(form, .digest, hash))
                    try key.publicKey.verify(signature, of: digest, .ecdsaSignature(form, .digest, nil))
                }
                // In the other form it is none.
                let other: KeyAlgorithm.ECDSAForm = form == .x962 ? .rfc4754 : .x962
                for signature in signatures {
                    let answer = failure {
                        try key.publicKey.verify(signature, of: digest, .ecdsaSignature(other, .digest, hash))
                    }
                    #expect(answer == .verifyFailed)
                }
            }
        }
    }

    @Test("RSA signs and verifies as much as fits, whatever it is")
    func rawRSA() throws {
        let key = try SharedKeys.rsa1024.get()
        for count in [118, 119, 128, 129, 100_000] {
            let data = [UInt8](repeating: 1, count: count)
            #expect(failure { try key.signature(of: data, .rsaSignaturePKCS1v15) } == .invalidParameter)
        }
        for count in [0, 1, 36, 117] {
            let data = [UInt8](repeating: 1, count: count)
            let signature = try key.signature(of: data, .rsaSignaturePKCS1v15)
            try key.publicKey.verify(signature, of: data, .rsaSignaturePKCS1v15)
            let longer = data + [1]
            #expect(failure { try key.publicKey.verify(signature, of: longer, .rsaSignaturePKCS1v15) } == .verifyFailed)
        }
        let tooMuch = [UInt8](repeating: 1, count: 118)
        let block = [UInt8](repeating: 1, count: 128)
        #expect(failure { try key.publicKey.verify(block, of: tooMuch, .rsaSignaturePKCS1v15) } == .verifyFailed)
        let raw = try key.signature(of: [7], .rsaSignatureRaw)
        try key.publicKey.verify(raw, of: [7], .rsaSignatureRaw)
        try key.publicKey.verify(raw, of: [0, 7], .rsaSignatureRaw)
        for other in [[], [8], [7, 0], block, block + block] {
            #expect(failure { try key.publicKey.verify(raw, of: other, .rsaSignatureRaw) } == .verifyFailed)
        }
        for signature in [[], [1], [0] + raw, Array(raw.dropFirst()), raw.changed(at: 127)] {
            #expect(failure { try key.publicKey.verify(signature, of: [7], .rsaSignatureRaw) } == .verifyFailed)
        }
        #expect(
            failure { try key.signature(of: [UInt8](repeating: 1, count: 129), .rsaSignatureRaw) } == .invalidParameter
        )
        let ones = [UInt8](repeating: 0xFF, count: 128)
        #expect(failure { try key.signature(of: ones, .rsaSignatureRaw) } == .invalidParameter)
        #expect(failure { try key.publicKey.verify(ones, of: ones, .rsaSignatureRaw) } == .verifyFailed)
        for hash in KeyHash.allCases {
            let info = DigestInfo.prefix(of: hash) + [UInt8](repeating: 8, count: hash.size)
            let signature = try key.signature(of: info, .rsaSignaturePKCS1v15)
            try key.publicKey.verify(signature, of: info, .rsaSignaturePKCS1v15)
            for other in [info + [0], Array(info.dropLast()), [0] + info, info.changed(at: 1)] {
                #expect(
                    failure { try key.publicKey.verify(signature, of: other, .rsaSignaturePKCS1v15) } == .verifyFailed
                )
            }
            let last = info.changed(at: info.count - 1)
            #expect(failure { try key.publicKey.verify(signature, of: last, .rsaSignaturePKCS1v15) } == .verifyFailed)
        }
    }

    // MARK: DER of ECDSA

    @Test("ECDSA signatures in any other DER than the shortest are none", arguments: curves)
    func signatureForms(_ curve: EllipticCurve) throws {
        let size = UInt8(curve.coordinateSize)
        let order = curve.order
        let one: [UInt8] = [2, 1, 1]
        func integer(_ content: [UInt8]) -> [UInt8] { [2, UInt8(content.count)] + content }
        func sequence(_ content: [UInt8]) -> [UInt8] { DERHeader.bytes(.sequence, count: content.count) + content }
        func positive(_ number: [UInt8]) -> [UInt8] {
            let digits = Array(number.drop { $0 == 0 })
            return integer((digits.first ?? 0xFF) >= 0x80 ? [0] + digits : digits)
        }
        let last = order.dropLast() + [(order.last ?? 0) - 1]
        for good in [sequence(one + one), sequence(one + positive(Array(last))), sequence(positive(Array(last)) + one)]
        {
            let signature = try #require(ECDSASignature(der: good, on: curve))
            #expect(signature.der == good)
            #expect(signature.raw.count == 2 * curve.coordinateSize)
            #expect(ECDSASignature(raw: signature.raw, on: curve)?.der == good)
        }
        let tooLong = [UInt8](repeating: 1, count: Int(size) + 1)
        let bad: [[UInt8]] = [
            [], [0x30], [0x30, 0], sequence(one), sequence(one + one + one), sequence(one + one) + [0],
            [0] + sequence(one + one), sequence(one + one + [5, 0]),
            // Zero, and numbers without bytes.
            sequence(integer([0]) + one), sequence(one + integer([0])), sequence(integer([]) + one),
            // The order, and what is larger.
            sequence(positive(order) + one), sequence(one + positive(order)), sequence(positive(tooLong) + one),
            sequence(one + positive(tooLong)), sequence(one + integer([UInt8](repeating: 0x7F, count: 100))),
            // Below zero.
            sequence(integer([0xFF]) + one), sequence(one + integer([0x80])),
            // Longer than they have to be.
            sequence(integer([0, 1]) + one), sequence(one + integer([0, 0, 1])), [0x30, 0x81, 6] + one + one,
            [0x30, 0x82, 0, 6] + one + one, sequence([2, 0x81, 1, 1] + one),
            // Without an end, with other tags, with a length that is too large.
            [0x30, 0x80] + one + one + [0, 0], [0x31, 6] + one + one, sequence([3, 1, 1] + one),
            sequence([0x22, 3] + one + one), [0x30, 7] + one + one, [0x30, 5] + one + one,
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] + one + one,
            [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + one + one,
            [UInt8](repeating: 0x30, count: 200), [UInt8](repeating: 0x30, count: 10_000),
        ]
        for der in bad { #expect(ECDSASignature(der: der, on: curve) == nil, "\(der.prefix(12))") }
        // Two numbers of other lengths that together have the right one.
        let long = [UInt8](repeating: 1, count: Int(size) + 1)
        let short = [UInt8](repeating: 1, count: Int(size) - 1)
        #expect(ECDSASignature(der: sequence(positive(long) + positive(short)), on: curve) == nil)
        let zeros = [UInt8](repeating: 0, count: Int(size))
        let highest = Array(last)
        var raws: [[UInt8]] = [zeros + zeros, highest + zeros, zeros + highest]
        raws += [order + highest, highest + order]
        raws += [highest + highest + [0], highest + highest.dropLast()]
        for raw in raws {
            #expect(ECDSASignature(raw: raw, on: curve) == nil)
        }
        #expect(ECDSASignature(raw: highest + highest, on: curve) != nil)
    }

    // MARK: Exchange

    @Test("What is derived has a size, and it is one that can be")
    func requestedSizes() throws {
        let (own, peer) = (try CurvePrivateKey(generatedOn: .p256), try CurvePrivateKey(generatedOn: .p256))
        let algorithm = KeyAlgorithm.keyExchange(.standard, .sha256)
        for size in [nil, 0, -1, .min, .max, (1 << 24) + 1] {
            let parameters = KeyExchangeParameters(requestedSize: size)
            #expect(failure { try own.exchange(with: peer.publicKey, algorithm, parameters) } == .invalidParameter)
        }
        for size in [1, 31, 32, 33, 1000] {
            let parameters = KeyExchangeParameters(requestedSize: size, sharedInfo: [1, 2])
            let derived = try own.exchange(with: peer.publicKey, algorithm, parameters).revealed
            #expect(derived.count == size)
            #expect(try peer.exchange(with: own.publicKey, algorithm, parameters).revealed == derived)
        }
        // Nothing of it counts where nothing is derived.
        let parameters = KeyExchangeParameters(requestedSize: 3, sharedInfo: [1])
        #expect(try own.exchange(with: peer.publicKey, .keyExchange(.standard, nil), parameters).count == 32)
    }

    @Test("Keys that are not on one curve come to no secret")
    func foreignPeers() throws {
        for curve in curves {
            let key = PrivateKey(try CurvePrivateKey(generatedOn: curve))
            for other in curves where other != curve {
                let peer = try CurvePrivateKey(generatedOn: other).publicKey
                #expect(failure { try key.exchange(with: peer, .keyExchange(.standard, nil)) } == .invalidParameter)
            }
            let rsa = try SharedKeys.rsa1024.get()
            #expect(
                failure { try key.exchange(with: rsa.publicKey, .keyExchange(.standard, nil)) } == .invalidParameter
            )
            #expect(
                failure { try rsa.exchange(with: key.publicKey, .keyExchange(.standard, nil)) } == .invalidParameter
            )
            #expect(
                failure { try rsa.exchange(with: rsa.publicKey, .keyExchange(.standard, nil)) } == .invalidParameter
            )
        }
    }

    // MARK: Keys elsewhere

    /// A key in another process, which counts what it is asked, and may be broken.
    private final class DistantKey: PrivateKeyOperations {
        let key: CurvePrivateKey
        let error: KeychainError?
        let answer: [UInt8]?
        let digests = Mutex<[[UInt8]]>([])
        let peers = Mutex<[PublicKey]>([])

        init(_ key: CurvePrivateKey, error: KeychainError? = nil, answer: [UInt8]? = nil) {
            self.key = key
            self.error = error
            self.answer = answer
        }

        var publicKey: PublicKey { key.publicKey }

        func signature(ofDigest digest: [UInt8]) throws(KeychainError) -> [UInt8] {
            digests.withLock { $0.append(digest) }
            if let error { throw error }
            if let answer { return answer }
            return try key.signature(ofDigest: digest)
        }

        func sharedSecret(with peer: PublicKey) throws(KeychainError) -> SecretBytes {
            peers.withLock { $0.append(peer) }
            if let error { throw error }
            if let answer { return SecretBytes(answer) }
            return try key.sharedSecret(with: peer)
        }
    }

    @Test("A key elsewhere does all that a key here does, and is asked for a digest or a point")
    func distantKeys() throws {
        let distant = DistantKey(try CurvePrivateKey(generatedOn: .p256))
        let key = PrivateKey(distant)
        let peer = try CurvePrivateKey(generatedOn: .p256)
        for algorithm in KeyAlgorithm.all {
            if case .ecdsaSignature(_, let input, let hash) = algorithm, key.supports(.sign, algorithm) {
                let data = [UInt8](repeating: 9, count: input == .digest ? hash?.size ?? 70 : 1000)
                let signature = try key.signature(of: data, algorithm)
                try key.publicKey.verify(signature, of: data, algorithm)
            }
            if key.supports(.decrypt, algorithm) {
                let message = try key.publicKey.encrypted([1, 2, 3], algorithm)
                #expect(try key.decrypted(message, algorithm).revealed == [1, 2, 3])
            }
            if key.supports(.exchange, algorithm) {
                let parameters = KeyExchangeParameters(requestedSize: 20)
                let own = try key.exchange(with: peer.publicKey, algorithm, parameters).revealed
                #expect(own == (try peer.exchange(with: key.publicKey, algorithm, parameters).revealed))
            }
        }
        let digests = distant.digests.withLock { $0 }
        #expect(digests.count >= 20 && digests.allSatisfy { $0.count == 32 })
        #expect(distant.peers.withLock { $0.count } >= 20)
        #expect(failure { try key.externalRepresentation } == .unimplemented)
        #expect(failure { try key.pkcs8 } == .unimplemented)
        #expect("\(key)" == "[REDACTED]")
    }

    @Test("A key elsewhere is not asked for what is refused anyway")
    func needlessQuestions() throws {
        let distant = DistantKey(try CurvePrivateKey(generatedOn: .p256))
        let key = PrivateKey(distant)
        let algorithm = try KeyAlgorithm.named("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
        let message = try key.publicKey.encrypted([1], algorithm)
        _ = failure { try key.decrypted(Array(message.prefix(80)), algorithm) }
        _ = failure { try key.decrypted([4] + [UInt8](repeating: 1, count: 100), algorithm) }
        _ = failure { try key.decrypted(message, algorithm, CipherParameters(symmetricKeySizeInBits: 1)) }
        _ = failure { try key.decrypted(message, .rsaEncryption(.pkcs1)) }
        _ = failure { try key.exchange(with: key.publicKey, .keyExchange(.standard, .sha256)) }
        _ = failure {
            try key.exchange(with: CurvePrivateKey(generatedOn: .p384).publicKey, .keyExchange(.standard, nil))
        }
        _ = failure { try key.signature(of: [], .ecdsaSignature(.x962, .digest, nil)) }
        _ = failure { try key.signature(of: [1], .ecdsaSignature(.x962, .digest, .sha256)) }
        #expect(distant.digests.withLock { $0.isEmpty } && distant.peers.withLock { $0.isEmpty })
    }

    @Test("What a key elsewhere throws comes through; what it answers is looked at")
    func brokenDistantKeys() throws {
        let own = try CurvePrivateKey(generatedOn: .p256)
        let peer = try CurvePrivateKey(generatedOn: .p256).publicKey
        let ecies = try KeyAlgorithm.named("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
        let message = try own.publicKey.encrypted([1], ecies)
        func failures(_ key: DistantKey) -> [KeychainError.Code?] {
            [
                failure { try PrivateKey(key).signature(of: [1], .ecdsaSignature(.x962, .message, .sha256)) },
                failure { try PrivateKey(key).signature(of: [1], .ecdsaSignature(.rfc4754, .digest, nil)) },
                failure { try PrivateKey(key).exchange(with: peer, .keyExchange(.standard, nil)) },
                failure {
                    try PrivateKey(key).exchange(with: peer, .keyExchange(.cofactor, .sha1), .init(requestedSize: 9))
                },
                failure { try PrivateKey(key).decrypted(message, ecies) },
            ]
        }
        for code in [KeychainError.Code.interactionNotAllowed, .userCanceled, .authenticationFailed, .itemNotFound] {
            #expect(failures(DistantKey(own, error: KeychainError(code, ""))) == Array(repeating: code, count: 5))
        }
        for count in [0, 1, 31, 33, 63, 65, 200] {
            let answer = [UInt8](repeating: 1, count: count)
            #expect(failures(DistantKey(own, answer: answer)) == Array(repeating: .internalError, count: 5))
        }
        // Of the right length, and out of range.
        for answer in [[UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64)] {
            #expect(failures(DistantKey(own, answer: answer)).prefix(2) == [.internalError, .internalError])
        }
        // A public key of another family is a mistake of the implementation's.
        struct Mistaken: PrivateKeyOperations {
            let publicKey: PublicKey
            func signature(ofDigest digest: [UInt8]) throws(KeychainError) -> [UInt8] { [] }
            func sharedSecret(with peer: PublicKey) throws(KeychainError) -> SecretBytes { SecretBytes([]) }
        }
        let mistaken = Mistaken(publicKey: try SharedKeys.rsa1024.get().publicKey)
        #expect(failure { try mistaken.signature(of: [1], .ecdsaSignature(.x962, .digest, nil)) } == .internalError)
    }
}
