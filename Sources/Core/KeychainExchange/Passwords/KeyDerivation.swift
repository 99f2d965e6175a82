import Crypto
import CryptoExtras
import Foundation
import KeychainCertificates
import KeychainModel
import SwiftASN1

/// A derivation of keys that goes by a password as bytes: PBKDF2 (RFC 8018, section 5.2) or scrypt (RFC 7914, section 7).
struct KeyDerivation {
    private enum Function {
        case pbkdf2(KDF.Insecure.PBKDF2.HashFunction, digestSize: Int, iterations: Int)
        case scrypt(cost: Int, blockSize: Int, parallelism: Int)
    }

    private let function: Function
    private let salt: [UInt8]
    /// The bytes of the key, where the file says so.
    let keySize: Int?

    /// PBKDF2 with HMAC-SHA-256.
    init(salt: [UInt8], iterations: Int) {
        function = .pbkdf2(.sha256, digestSize: 32, iterations: iterations)
        self.salt = salt
        keySize = nil
    }

    init(_ algorithm: Algorithm) throws(KeychainError) {
        switch algorithm.identifier {
        case .pbkdf2:
            var fields = try algorithm.fields()
            salt = try fields.next().octets()
            let iterations = try fields.next().number()
            keySize = try fields.next(.integer)?.number()
            let (hash, digestSize) = try Self.hash(fields.nextIfAny())
            try fields.end()
            function = .pbkdf2(hash, digestSize: digestSize, iterations: iterations)
        case .scrypt:
            var fields = try algorithm.fields()
            salt = try fields.next().octets()
            function = .scrypt(
                cost: try fields.next().number(),
                blockSize: try fields.next().number(),
                parallelism: try fields.next().number()
            )
            keySize = try fields.next(.integer)?.number()
            try fields.end()
        default: throw .unknownAlgorithm(algorithm.identifier)
        }
        // swift-crypto's functions stop the process where there is no byte of salt.
        guard (1...ExchangeLimits.largestSalt).contains(salt.count) else { throw .malformed }
    }

    /// HMAC-SHA-1 where nothing is said.
    private static func hash(
        _ node: ASN1Node?
    ) throws(KeychainError) -> (KDF.Insecure.PBKDF2.HashFunction, digestSize: Int) {
        guard let node else { return (.insecureSHA1, 20) }
        let algorithm = try Algorithm(node)
        return switch algorithm.identifier {
        case .hmacWithSHA1: (.insecureSHA1, 20)
        case .hmacWithSHA224: (.insecureSHA224, 28)
        case .hmacWithSHA256: (.sha256, 32)
        case .hmacWithSHA384: (.sha384, 48)
        case .hmacWithSHA512: (.sha512, 64)
        default: throw .unknownAlgorithm(algorithm.identifier)
        }
    }

    /// The AlgorithmIdentifier of the derivation that is written.
    var encoded: [UInt8] {
        guard case .pbkdf2(_, _, let iterations) = function else { return [] }
        return Encoding.sequence(
            Encoding.object(.pbkdf2),
            Encoding.sequence(
                Encoding.octets(salt),
                Encoding.integer(iterations),
                Encoding.sequence(Encoding.object(.hmacWithSHA256), Encoding.null)
            )
        )
    }

    /// - Parameter count: the bytes of the key, at least 1.
    func derive(
        _ password: SecretBytes,
        count: Int,
        budget: inout WorkBudget
    ) throws(KeychainError) -> SymmetricKey {
        guard keySize == nil || keySize == count else { throw .malformed }
        // HMAC fills a key with zeros, so that one zero is what nothing is, and swift-crypto takes no empty buffer.
        let password = password.count > 0 ? password : SecretBytes([0])
        switch function {
        case .pbkdf2(let hash, let digestSize, let iterations):
            try budget.spend(iterations, blocks: (count + digestSize - 1) / digestSize)
            return try unsafe Self.derived(password) { bytes in
                unsafe try KDF.Insecure.PBKDF2.deriveKey(
                    from: bytes,
                    salt: salt,
                    using: hash,
                    outputByteCount: count,
                    unsafeUncheckedRounds: iterations
                )
            }
        case .scrypt(let cost, let blockSize, let parallelism):
            try check(cost: cost, blockSize: blockSize, parallelism: parallelism, &budget)
            return try unsafe Self.derived(password) { bytes in
                unsafe try KDF.Scrypt.deriveKey(
                    from: bytes,
                    salt: salt,
                    outputByteCount: count,
                    rounds: cost,
                    blockSize: blockSize,
                    parallelism: parallelism
                )
            }
        }
    }

    private func check(
        cost: Int,
        blockSize: Int,
        parallelism: Int,
        _ budget: inout WorkBudget
    ) throws(KeychainError) {
        guard cost > 1, cost & (cost - 1) == 0, (1...64).contains(blockSize), (1...64).contains(parallelism) else {
            throw .malformed
        }
        guard cost <= budget.limits.memory / (128 * blockSize) else {
            throw KeychainError(
                .undecodable,
                "the file asks for more memory than is given: \(budget.limits.memory) bytes"
            )
        }
        // One step of one block is about two iterations of HMAC-SHA-256.
        try budget.spend(cost, blocks: 2 * blockSize * parallelism)
    }

    private static func derived(
        _ password: SecretBytes,
        _ body: (UnsafeRawBufferPointer) throws -> SymmetricKey
    ) throws(KeychainError) -> SymmetricKey {
        guard let key = unsafe try? password.withUnsafeBytes({ unsafe try body($0) }) else {
            throw KeychainError(.internalError, "no key could be derived")
        }
        return key
    }
}
