import Crypto
import Foundation
import KeychainModel

/// AES-GCM with initialisation vectors of sixteen bytes: ciphertext, and the tag of sixteen bytes behind it.
enum SealedByAES {
    static let tagSize = 16
    static let zeroVector = unsafe SecretBytes(count: 16) { _ in }

    /// The bytes of the key that RSA carries.
    static func sessionKeySize(rsaBits: Int) -> Int { rsaBits < 4096 ? 16 : 32 }

    /// - Throws: `internalError` if nothing can be sealed.
    static func seal(
        _ plaintext: [UInt8],
        key: SecretBytes,
        vector: SecretBytes,
        authenticating data: [UInt8]
    ) throws(KeychainError) -> [UInt8] {
        guard let nonce = nonce(vector),
            let box = try? AES.GCM.seal(plaintext, using: key.symmetricKey, nonce: nonce, authenticating: data)
        else { throw KeychainError(.internalError, "nothing could be encrypted") }
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// - Returns: nil for bytes that were not sealed so.
    static func open(
        _ sealed: some Collection<UInt8>,
        key: SecretBytes,
        vector: SecretBytes,
        authenticating data: [UInt8]
    ) -> SecretBytes? {
        guard sealed.count >= tagSize, let nonce = nonce(vector),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce,
                ciphertext: Array(sealed.dropLast(tagSize)),
                tag: Array(sealed.suffix(tagSize))
            ), var plaintext = try? AES.GCM.open(box, using: key.symmetricKey, authenticating: data)
        else { return nil }
        return SecretBytes(movingBytesOf: &plaintext)
    }

    private static func nonce(_ vector: SecretBytes) -> AES.GCM.Nonce? {
        unsafe vector.withUnsafeBytes { bytes in try? unsafe AES.GCM.Nonce(data: bytes) }
    }
}

extension SecretBytes {
    fileprivate var symmetricKey: SymmetricKey {
        unsafe withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    /// New random bytes.
    static func random(count: Int) -> SecretBytes {
        unsafe SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { unsafe SecretBytes($0) }
    }
}
