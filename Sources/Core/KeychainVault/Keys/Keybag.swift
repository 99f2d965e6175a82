import Crypto
package import KeychainModel

/// The wrapped keys of a keychain: one for each accessibility class and one for the blind indexes.
///
/// `docs/formats/keybag.md` gives every byte.
package struct Keybag: Sendable {
    /// The keychain that the keys belong to.
    package let keychain: ItemUUID
    /// This keybag; a new one has another UUID.
    package let uuid: ItemUUID
    /// Grows by one with each rewriting.
    package let generation: UInt64
    private let wrapped: [WrappedKey]

    private struct WrappedKey {
        let code: UInt8
        /// Nonce, 32 bytes of ciphertext and tag.
        let box: [UInt8]
    }

    /// The code of the index key; the class keys have the codes of their classes.
    private static let indexCode: UInt8 = 0
    /// How a key is wrapped: under the device key, the only way so far.
    private static let underDeviceKey: UInt8 = 1
    private static let magic: [UInt8] = Array("CHkb".utf8)
    private static let version: UInt8 = 1
    private static let boxSize = 32 + Cipher.overhead
    private static let headerSize = 4 + 4 + 16 + 16 + 8 + 1
    private static let macSize = 32
    /// No keybag of this version is larger.
    package static let largestFile = headerSize + 256 * (2 + boxSize) + macSize

    /// Makes new random keys for a new keychain, wrapped under its device key.
    ///
    /// - Throws: `internalError` if the cipher fails.
    package init(creatingUnder deviceKey: DeviceKey) throws(KeychainError) {
        let keychain = ItemUUID()
        let uuid = ItemUUID()
        let wrappingKey = Self.wrappingKey(deviceKey, uuid)
        var wrapped: [WrappedKey] = []
        for code in Self.codes {
            let key = SymmetricKey(size: .bits256)
            let box = try Cipher.seal(
                key: key,
                under: wrappingKey,
                authenticating: Self.associatedData(keychain: keychain, uuid: uuid, code: code)
            )
            wrapped.append(WrappedKey(code: code, box: box))
        }
        self.keychain = keychain
        self.uuid = uuid
        self.generation = 1
        self.wrapped = wrapped
    }

    private static var codes: [UInt8] {
        [indexCode] + Accessibility.allCases.map(\.code)
    }

    // MARK: - The file

    /// The contents of the file, authenticated under the device key.
    package func file(under deviceKey: DeviceKey) -> [UInt8] {
        var bytes = Self.magic + [Self.version, 0, 0, 0] + keychain.bytes + uuid.bytes
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: generation >> UInt64(56 - $0 * 8)) }
        bytes.append(UInt8(truncatingIfNeeded: wrapped.count))
        for key in wrapped {
            bytes += [key.code, Self.underDeviceKey] + key.box
        }
        return bytes + Self.authenticationCode(of: bytes, under: deviceKey, uuid: uuid)
    }

    static func authenticationCode(of bytes: [UInt8], under deviceKey: DeviceKey, uuid: ItemUUID) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: macKey(deviceKey, uuid)))
    }

    /// Reads a file's contents and checks that the device key is the one that they were written under.
    ///
    /// - Throws: `notAvailable` for anything else than a whole keybag of this version and this device key.
    package init(file bytes: [UInt8], under deviceKey: DeviceKey) throws(KeychainError) {
        guard bytes.count >= Self.headerSize + Self.macSize, bytes.starts(with: Self.magic) else {
            throw Self.damaged
        }
        guard bytes[4] == Self.version else {
            throw KeychainError(.notAvailable, "the keybag is of a newer version; use the newer program")
        }
        let body = bytes.dropLast(Self.macSize)
        guard bytes[5...7].allSatisfy({ $0 == 0 }),
            let keychain = ItemUUID(bytes[8..<24]),
            let uuid = ItemUUID(bytes[24..<40])
        else { throw Self.damaged }
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                Array(bytes.suffix(Self.macSize)),
                authenticating: body,
                using: Self.macKey(deviceKey, uuid)
            )
        else {
            throw KeychainError(
                .notAvailable,
                "the keybag is damaged or does not belong to this device key; put the files back that belong together"
            )
        }
        let count = Int(bytes[Self.headerSize - 1])
        let entrySize = 2 + Self.boxSize
        guard body.count == Self.headerSize + count * entrySize else { throw Self.damaged }
        self.keychain = keychain
        self.uuid = uuid
        generation = bytes[40..<48].reduce(0) { $0 << 8 | UInt64($1) }
        wrapped = try (0..<count).map { (index) throws(KeychainError) in
            let start = Self.headerSize + index * entrySize
            guard bytes[start + 1] == Self.underDeviceKey else { throw Self.damaged }
            return WrappedKey(code: bytes[start], box: Array(bytes[(start + 2)..<(start + entrySize)]))
        }
    }

    private static let damaged = KeychainError(
        .notAvailable,
        "the keybag is truncated or damaged; put the original file back"
    )

    // MARK: - The keys

    /// Unwraps all keys that the device key alone opens.
    ///
    /// - Throws: `notAvailable` where a key is missing or does not open.
    package func unlock(with deviceKey: DeviceKey) throws(KeychainError) -> ClassKeys {
        let wrappingKey = Self.wrappingKey(deviceKey, uuid)
        func unwrap(_ code: UInt8) throws(KeychainError) -> SymmetricKey {
            guard let entry = wrapped.first(where: { $0.code == code }),
                let key = Cipher.openKey(
                    entry.box,
                    under: wrappingKey,
                    authenticating: Self.associatedData(keychain: keychain, uuid: uuid, code: code)
                )
            else { throw Self.damaged }
            return key
        }
        var keys: [Accessibility: SymmetricKey] = [:]
        for accessibility in Accessibility.allCases {
            keys[accessibility] = try unwrap(accessibility.code)
        }
        return ClassKeys(keychain: keychain, classKeys: keys, indexKey: try unwrap(Self.indexCode))
    }

    private static func wrappingKey(_ deviceKey: DeviceKey, _ uuid: ItemUUID) -> SymmetricKey {
        deviceKey.derive("chatelaine keybag wrap 1", salt: uuid)
    }

    private static func macKey(_ deviceKey: DeviceKey, _ uuid: ItemUUID) -> SymmetricKey {
        deviceKey.derive("chatelaine keybag mac 1", salt: uuid)
    }

    private static func associatedData(keychain: ItemUUID, uuid: ItemUUID, code: UInt8) -> [UInt8] {
        [version] + keychain.bytes + uuid.bytes + [code]
    }
}
