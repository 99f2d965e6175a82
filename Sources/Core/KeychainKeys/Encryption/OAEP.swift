import Crypto
import KeychainModel

/// Takes off the padding OAEP (RFC 8017, section 7.1.2), for the functions that swift-crypto does not do it with.
enum OAEP {
    /// The message in a block, without a label.
    ///
    /// Whether and where the padding is wrong makes no difference in what is done and how long it takes: every byte is
    /// looked at, nothing branches on one, and there is one answer. Otherwise an attacker who can ask often would find
    /// out what was encrypted (Manger, "A Chosen Ciphertext Attack on RSA OAEP", CRYPTO 2001). Swift does not promise
    /// that compilers keep it so.
    ///
    /// - Parameter block: what the private-key operation returns, with the zeros in front.
    /// - Returns: nil if the padding is not right.
    /// - Throws: `unimplemented` for SHA-224 without libcrypto.
    static func message(in block: SecretBytes, _ hash: KeyHash) throws(KeychainError) -> SecretBytes? {
        let seedEnd = 1 + hash.size
        let dataStart = seedEnd + hash.size
        guard block.count > dataStart else { return nil }
        let masked = block.part(seedEnd..<block.count)
        let seed = block.part(1..<seedEnd).combined(
            with: try hash.expansion(of: masked, from: 0, count: hash.size)
        )
        let data = masked.combined(with: try hash.expansion(of: seed, from: 0, count: masked.count))
        let label = try hash.digest(of: [])

        var wrong = unsafe block.withUnsafeBytes { unsafe $0.first ?? 1 }
        var isLooking: UInt8 = 0xFF
        var start = 0
        unsafe data.withUnsafeBytes { bytes in
            for unsafe(index, byte) in unsafe bytes.enumerated() {
                guard index >= label.count else {
                    wrong |= byte ^ label[index]
                    continue
                }
                let isOne = maskOfZero(byte ^ 1)
                let isZero = maskOfZero(byte)
                start |= Int(isLooking & isOne & 1) &* (index + 1)
                wrong |= isLooking & ~isOne & ~isZero
                isLooking &= isZero
            }
        }
        guard wrong | isLooking == 0 else { return nil }
        return data.part(start..<data.count)
    }

    /// All ones for zero, else zero.
    private static func maskOfZero(_ byte: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt16(byte) &- 1) >> 8)
    }
}

extension SecretBytes {
    /// Both, bit by bit exclusively or'd.
    ///
    /// - Parameter mask: as long.
    fileprivate func combined(with mask: SecretBytes) -> SecretBytes {
        unsafe SecretBytes(count: count) { target in
            unsafe withUnsafeBytes { left in
                unsafe mask.withUnsafeBytes { right in
                    for unsafe(index, (a, b)) in unsafe zip(left, right).enumerated() { unsafe target[index] = a ^ b }
                }
            }
        }
    }
}
