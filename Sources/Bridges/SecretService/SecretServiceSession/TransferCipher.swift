package import Crypto
import CryptoExtras
import FoundationEssentials
package import KeychainModel

/// How secrets are sent in a session (Secret Service API, "Transfer of Secrets").
package enum TransferCipher: Sendable {
    /// As they are.
    case plain
    /// AES-128-CBC with PKCS #7 padding.
    case aes(SymmetricKey)

    /// - Returns: the parameters (the initialization vector, or nothing) and the value.
    /// - Throws: `internalError`
    package func seal(_ secret: SecretBytes) throws(KeychainError) -> (parameters: [UInt8], value: [UInt8]) {
        let bytes = unsafe secret.withUnsafeBytes { unsafe Array($0) }
        guard case .aes(let key) = self else { return ([], bytes) }
        let vector = AES._CBC.IV()
        do {
            return (Array(vector), Array(try AES._CBC.encrypt(bytes, using: key, iv: vector)))
        } catch {
            throw KeychainError(.internalError, "a secret could not be encrypted for its session")
        }
    }

    /// - Throws: `undecodable` for what the session's key did not make.
    package func open(parameters: [UInt8], value: [UInt8]) throws(KeychainError) -> SecretBytes {
        guard case .aes(let key) = self else { return SecretBytes(value) }
        do {
            let vector = try AES._CBC.IV(ivBytes: parameters)
            return SecretBytes(try AES._CBC.decrypt(value, using: key, iv: vector))
        } catch {
            throw KeychainError(.undecodable, "the secret does not open with the session's key")
        }
    }
}
