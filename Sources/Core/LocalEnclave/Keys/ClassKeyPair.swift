import Crypto
import KeychainModel

/// What a class key is used for: one key seals metadata, the other wraps item keys.
package struct ClassKeyPair: Sendable {
    let metadata: SymmetricKey
    let wrapping: SymmetricKey

    init(_ classKey: SymmetricKey, keychain: ItemUUID) {
        metadata = Self.derive(classKey, "chatelaine class metadata 1", keychain)
        wrapping = Self.derive(classKey, "chatelaine class wrap 1", keychain)
    }

    private static func derive(_ key: SymmetricKey, _ purpose: String, _ keychain: ItemUUID) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            salt: keychain.bytes,
            info: Array(purpose.utf8),
            outputByteCount: 32
        )
    }
}
