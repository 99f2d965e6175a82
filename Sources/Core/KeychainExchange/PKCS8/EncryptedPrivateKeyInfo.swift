import KeychainCertificates
package import KeychainModel
import SwiftASN1

/// A private key, encrypted with a password (RFC 5208, section 6).
package enum EncryptedPrivateKeyInfo {
    /// PBKDF2's, where nothing else is asked for: what OWASP's Password Storage Cheat Sheet has for HMAC-SHA-256.
    package static let iterations = 600_000

    /// Decrypts PBES2 (AES-CBC, 3DES; PBKDF2, scrypt) and the schemes of PKCS #12 (3DES, RC2).
    ///
    /// - Parameters:
    ///   - bytes: BER.
    ///   - password: UTF-8; nil for none.
    /// - Returns: a PrivateKeyInfo.
    /// - Throws: `authenticationFailed` for a wrong password. Nothing authenticates the bytes: damage may look the same.
    ///   `undecodable` for something else than such a key, `unimplemented` for algorithms that are not known.
    package static func open(
        _ bytes: [UInt8],
        password: SecretBytes?,
        limits: ExchangeLimits = .standard
    ) throws(KeychainError) -> SecretBytes {
        let node = try BoundedBER.parse(bytes)
        var budget = WorkBudget(limits)
        var failure = KeychainError.wrongPassword
        for candidate in try ExchangePassword.candidates(password) {
            do throws(KeychainError) {
                return try open(node, candidate, &budget)
            } catch {
                guard error == .wrongPassword else { throw error }
                failure = error
            }
        }
        throw failure
    }

    static func open(
        _ node: ASN1Node,
        _ password: ExchangePassword,
        _ budget: inout WorkBudget
    ) throws(KeychainError) -> SecretBytes {
        var fields = try node.fields()
        let algorithm = try Algorithm(fields.next())
        let ciphertext = try fields.next().octets()
        try fields.end()
        let key = try PasswordEncryption.decrypt(ciphertext, algorithm, password: password, budget: &budget)
        // One wrong key in 256 leaves what could be padding.
        guard PrivateKeyInfo.hasForm(key) else { throw .wrongPassword }
        return key
    }

    /// Encrypts a PrivateKeyInfo with PBES2: AES-256-CBC, PBKDF2 with HMAC-SHA-256.
    ///
    /// - Returns: DER.
    /// - Throws: `invalidParameter` for something else than a PrivateKeyInfo.
    package static func seal(
        _ privateKey: SecretBytes,
        password: SecretBytes,
        iterations: Int = Self.iterations
    ) throws(KeychainError) -> [UInt8] {
        try seal(privateKey, .aes256(iterations: iterations), ExchangePassword(password))
    }

    static func seal(
        _ privateKey: SecretBytes,
        _ scheme: PasswordEncryption.Scheme,
        _ password: ExchangePassword
    ) throws(KeychainError) -> [UInt8] {
        guard PrivateKeyInfo.hasForm(privateKey) else {
            throw KeychainError(.invalidParameter, "the bytes are not a PrivateKeyInfo")
        }
        let (algorithm, ciphertext) = try PasswordEncryption.encrypt(privateKey, scheme, password: password)
        return Encoding.sequence(algorithm, Encoding.octets(ciphertext))
    }
}
