import Crypto
import KeychainCertificates
import KeychainModel
import SwiftASN1

/// Encryption with a password: PBES2 (RFC 8018, section 6.2) and what PKCS #12 had before it (RFC 7292, appendix C).
enum PasswordEncryption {
    /// What a new file is encrypted with.
    enum Scheme {
        /// PBES2 with AES-256-CBC, by PBKDF2 with HMAC-SHA-256.
        case aes256(iterations: Int)
        /// pbeWithSHAAnd3-KeyTripleDES-CBC.
        case tripleDES(iterations: Int)
    }

    /// - Throws: `authenticationFailed` where the password is another, as far as that shows; `unimplemented`, `undecodable`.
    static func decrypt(
        _ ciphertext: [UInt8],
        _ algorithm: Algorithm,
        password: ExchangePassword,
        budget: inout WorkBudget
    ) throws(KeychainError) -> SecretBytes {
        switch algorithm.identifier {
        case .pbes2:
            var fields = try algorithm.fields()
            let derivation = try KeyDerivation(Algorithm(fields.next()))
            let (cipher, vector) = try cipher(Algorithm(fields.next()))
            try fields.end()
            let key = try derivation.derive(password.utf8, count: cipher.keySize, budget: &budget)
            return try cipher.decrypt(ciphertext, key: key, vector: vector)
        case .pbeWithSHAAnd3KeyTripleDES:
            return try decryptOld(ciphertext, algorithm, .tripleDES, 24, password, &budget)
        case .pbeWithSHAAnd2KeyTripleDES:
            return try decryptOld(ciphertext, algorithm, .tripleDES, 16, password, &budget)
        case .pbeWithSHAAnd128BitRC2:
            return try decryptOld(ciphertext, algorithm, .rc2With128Bits, 16, password, &budget)
        case .pbeWithSHAAnd40BitRC2:
            return try decryptOld(ciphertext, algorithm, .rc2With40Bits, 5, password, &budget)
        default: throw .unknownAlgorithm(algorithm.identifier)
        }
    }

    /// - Returns: the AlgorithmIdentifier in DER, and the ciphertext.
    static func encrypt(
        _ plaintext: SecretBytes,
        _ scheme: Scheme,
        password: ExchangePassword
    ) throws(KeychainError) -> (algorithm: [UInt8], ciphertext: [UInt8]) {
        // What is written has to be readable.
        var budget = WorkBudget(.standard)
        switch scheme {
        case .aes256(let iterations):
            let salt = randomBytes(16)
            let vector = randomBytes(16)
            let derivation = KeyDerivation(salt: salt, iterations: iterations)
            let key = try derivation.derive(password.utf8, count: 32, budget: &budget)
            let parameters = Encoding.sequence(
                derivation.encoded,
                Encoding.sequence(Encoding.object(.aes256CBC), Encoding.octets(vector))
            )
            return (
                Encoding.sequence(Encoding.object(.pbes2), parameters),
                try BlockCipher.aes(32).encrypt(plaintext, key: key, vector: vector)
            )
        case .tripleDES(let iterations):
            let salt = randomBytes(8)
            let (key, vector) = try oldKey(.tripleDES, 24, password, salt, iterations, &budget)
            let parameters = Encoding.sequence(Encoding.octets(salt), Encoding.integer(iterations))
            return (
                Encoding.sequence(Encoding.object(.pbeWithSHAAnd3KeyTripleDES), parameters),
                try BlockCipher.tripleDES.encrypt(plaintext, key: key, vector: vector)
            )
        }
    }

    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// The encryptionScheme of PBES2 and its initialisation vector.
    private static func cipher(_ algorithm: Algorithm) throws(KeychainError) -> (BlockCipher, [UInt8]) {
        let cipher: BlockCipher =
            switch algorithm.identifier {
            case .aes128CBC: .aes(16)
            case .aes192CBC: .aes(24)
            case .aes256CBC: .aes(32)
            case .tripleDESCBC: .tripleDES
            default: throw .unknownAlgorithm(algorithm.identifier)
            }
        guard let vector = try algorithm.parameters?.octets(), vector.count == cipher.blockSize else {
            throw .malformed
        }
        return (cipher, vector)
    }

    // MARK: - PKCS #12's own

    private static func decryptOld(
        _ ciphertext: [UInt8],
        _ algorithm: Algorithm,
        _ cipher: BlockCipher,
        _ keySize: Int,
        _ password: ExchangePassword,
        _ budget: inout WorkBudget
    ) throws(KeychainError) -> SecretBytes {
        var fields = try algorithm.fields()
        let salt = try fields.next().octets()
        let iterations = try fields.next().number()
        try fields.end()
        let (key, vector) = try oldKey(cipher, keySize, password, salt, iterations, &budget)
        return try cipher.decrypt(ciphertext, key: key, vector: vector)
    }

    private static func oldKey(
        _ cipher: BlockCipher,
        _ keySize: Int,
        _ password: ExchangePassword,
        _ salt: [UInt8],
        _ iterations: Int,
        _ budget: inout WorkBudget
    ) throws(KeychainError) -> (SymmetricKey, [UInt8]) {
        guard (1...ExchangeLimits.largestSalt).contains(salt.count) else { throw .malformed }
        let digest = Insecure.SHA1.Digest.byteCount
        try budget.spend(iterations, blocks: 1 + (keySize + digest - 1) / digest)
        func derive(_ purpose: PKCS12KeyDerivation.Purpose, _ count: Int) -> SecretBytes {
            PKCS12KeyDerivation.derive(
                Insecure.SHA1.self,
                purpose,
                password: password,
                salt: salt,
                iterations: iterations,
                count: count
            )
        }
        let material = derive(.key, keySize)
        let vector = unsafe derive(.vector, cipher.blockSize).withUnsafeBytes { unsafe Array($0) }
        let key = unsafe material.withUnsafeBytes { bytes in
            // Of two keys of DES the first is used again.
            guard bytes.count < cipher.keySize else { return unsafe SymmetricKey(data: bytes) }
            var whole = unsafe Array(bytes) + bytes.prefix(cipher.keySize - bytes.count)
            defer { whole.zero() }
            return SymmetricKey(data: whole)
        }
        return (key, vector)
    }
}
