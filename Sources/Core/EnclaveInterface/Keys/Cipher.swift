package import Crypto
package import FoundationEssentials
package import KeychainModel

/// AES-256-GCM (NIST SP 800-38D) with random nonces, over swift-crypto. A box is nonce, ciphertext and tag in a row.
package enum Cipher {
    /// What a box has more than its plaintext: the nonce and the tag.
    package static let overhead = 12 + 16

    package static func seal(
        _ plaintext: some DataProtocol,
        under key: SymmetricKey,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(plaintext, using: key, authenticating: data)
            return Array(box.nonce) + box.ciphertext + box.tag
        } catch {
            throw KeychainError(.internalError, "the cipher failed")
        }
    }

    package static func seal(
        key plaintext: SymmetricKey,
        under key: SymmetricKey,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> [UInt8] {
        let secret = unsafe plaintext.withUnsafeBytes { unsafe SecretBytes($0) }
        return try seal(secret: secret, under: key, authenticating: data)
    }

    package static func seal(
        secret: SecretBytes,
        under key: SymmetricKey,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> [UInt8] {
        unsafe try secret.withUnsafeBytes { (bytes) throws(KeychainError) in
            unsafe try seal(bytes, under: key, authenticating: data)
        }
    }

    /// The plaintext, or nil where the box, the key or the data are not those of the sealing.
    package static func open(_ box: some DataProtocol, under key: SymmetricKey, authenticating data: [UInt8]) -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: box) else { return nil }
        return try? AES.GCM.open(box, using: key, authenticating: data)
    }

    package static func openSecret(
        _ box: some DataProtocol,
        under key: SymmetricKey,
        authenticating data: [UInt8]
    ) -> SecretBytes? {
        guard var plaintext = open(box, under: key, authenticating: data) else { return nil }
        return SecretBytes(moving: &plaintext)
    }

    package static func openKey(
        _ box: some DataProtocol,
        under key: SymmetricKey,
        authenticating data: [UInt8]
    ) -> SymmetricKey? {
        guard let secret = openSecret(box, under: key, authenticating: data), secret.count == 32 else { return nil }
        return secret.symmetricKey()
    }
}
