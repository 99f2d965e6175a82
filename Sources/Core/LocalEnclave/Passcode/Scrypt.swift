import Crypto
import CryptoExtras
import KeychainModel

/// scrypt (RFC 7914).
enum Scrypt {
    /// Takes a large part of a second and 128 MiB at the usual cost; only one at a time.
    static func stretch(
        _ secret: SecretBytes,
        salt: [UInt8],
        cost: PasscodeCost,
        to byteCount: Int
    ) throws(KeychainError) -> SymmetricKey {
        do {
            return try unsafe secret.withUnsafeBytes { bytes in
                try unsafe KDF.Scrypt.deriveKey(
                    from: bytes,
                    salt: salt,
                    outputByteCount: byteCount,
                    rounds: 1 << Int(cost.logN),
                    blockSize: Int(cost.r),
                    parallelism: Int(cost.p)
                )
            }
        } catch {
            throw KeychainError(.outOfMemory, "the passcode cannot be stretched")
        }
    }
}
