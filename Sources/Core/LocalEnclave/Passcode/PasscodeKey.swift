import Crypto
import EnclaveInterface
import KeychainModel

/// What a passcode is stretched to: one half for hardware that limits guesses, the other for the keybag.
struct StretchedPasscode {
    let authorization: SecretBytes
    private let material: SecretBytes

    /// Takes a large part of a second and 128 MiB; only one at a time.
    init(_ passcode: Passcode, salt: [UInt8], cost: PasscodeCost) throws(KeychainError) {
        let stretched = try Scrypt.stretch(passcode.bytes, salt: salt, cost: cost, to: 64)
        (authorization, material) = unsafe stretched.withUnsafeBytes { bytes in
            unsafe (SecretBytes(bytes.prefix(32)), SecretBytes(bytes.dropFirst(32)))
        }
    }

    /// The key that a passcode opens.
    ///
    /// - Parameter hardware: the hardware's half of it, where there is one.
    func key(hardware: SecretBytes?, deviceKey: SymmetricKey, keybag: ItemUUID) -> SymmetricKey {
        let parts =
            [material, hardware].compactMap(\.self) + [unsafe deviceKey.withUnsafeBytes { unsafe SecretBytes($0) }]
        // Each part has 32 bytes, so that no two lists of parts are the same bytes.
        let input = unsafe SecretBytes(count: parts.reduce(0) { $0 + $1.count }) { target in
            var offset = 0
            for part in parts {
                unsafe part.withUnsafeBytes { bytes in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: bytes)
                }
                offset += part.count
            }
        }
        return HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input.symmetricKey(),
            salt: keybag.bytes,
            info: Array("chatelaine keybag passcode 2".utf8),
            outputByteCount: 32
        )
    }
}

/// What a keybag says of its passcode.
package struct PasscodeRecord: Sendable, Equatable {
    let cost: PasscodeCost
    /// 32 random bytes, new with each passcode.
    let salt: [UInt8]
    /// Where the hardware's half is; nil where there is none.
    let place: UInt8?
    /// What only the right key makes. AES-GCM alone commits to no key: one box can be made that opens under many, and
    /// would tell which of many passcodes is right with one guess.
    let check: [UInt8]
    /// Whether it came over the trusted path: from root, from a log-in, or after the system had authenticated the person.
    var isConfirmed = false

    static func check(_ key: SymmetricKey, keychain: ItemUUID, keybag: ItemUUID, salt: [UInt8], cost: PasscodeCost)
        -> [UInt8]
    {
        let commitment = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            salt: keybag.bytes,
            info: Array("chatelaine keybag passcode check 2".utf8),
            outputByteCount: 32
        )
        return Array(
            HMAC<SHA256>.authenticationCode(for: keychain.bytes + keybag.bytes + cost.bytes + salt, using: commitment)
        )
    }
}
