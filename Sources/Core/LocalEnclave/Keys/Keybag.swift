import Crypto
package import EnclaveInterface
package import KeychainModel

/// The wrapped keys of a keychain and what is to be known of them while they are wrapped.
///
/// `docs/formats/keybag.md` gives every byte of its file.
package struct Keybag: Sendable {
    /// The keychain that the keys belong to.
    package let keychain: ItemUUID
    /// This keybag; a new one has another UUID.
    package let uuid: ItemUUID
    /// Grows by one with each rewriting.
    package internal(set) var generation: UInt64
    package internal(set) var settings = LockSettings()
    /// Nil where no passcode is set.
    package internal(set) var passcode: PasscodeRecord?
    /// What a counter outside the disk stood at when this was written; nil where there is none.
    var counter: UInt64?
    var entries: [Entry]

    /// What a wrapped key is for.
    enum Purpose: Hashable {
        case index
        case accessibility(Accessibility)
        /// What binds a part of a backup to this device.
        case backup
        /// The P-256 private key that signs backups.
        case signing
        /// The digest of the fingers that were enrolled when `biometry` was made.
        case biometrySet
        /// What items are bound to that die with these fingers.
        case biometry
        /// What private keys of a ThisDeviceOnly class are under. No rotation replaces it, since the keys' blobs may be
        /// anywhere.
        case privateKeys(Accessibility)

        init?(code: UInt8) {
            switch code {
            case 0: self = .index
            case 8: self = .backup
            case 9: self = .signing
            case 10: self = .biometrySet
            case 11: self = .biometry
            case 20...23:
                guard let accessibility = Accessibility(code: code - 16) else { return nil }
                self = .privateKeys(accessibility)
            default:
                guard let accessibility = Accessibility(code: code) else { return nil }
                self = .accessibility(accessibility)
            }
        }

        var code: UInt8 {
            switch self {
            case .index: 0
            case .accessibility(let accessibility): accessibility.code
            case .backup: 8
            case .signing: 9
            case .biometrySet: 10
            case .biometry: 11
            case .privateKeys(let accessibility): accessibility.code + 16
            }
        }
    }

    /// What a key is wrapped under.
    enum Wrapping: UInt8 {
        case deviceKey = 1
        /// The key that the passcode opens, into which the device key has gone too.
        case passcode = 2
    }

    struct Entry: Sendable {
        let purpose: Purpose
        let wrapping: Wrapping
        /// The generation that the key was made in: of two keys for one purpose the later one is in use.
        let madeIn: UInt64
        /// Nonce, 32 bytes of ciphertext and tag.
        let box: [UInt8]

        /// The version of the boxes' format that the box was made in.
        let version: UInt8

        var isUnderPasscode: Bool { wrapping == .passcode }
    }

    /// A key with what its entry says of it.
    struct Named {
        let purpose: Purpose
        let madeIn: UInt64
        let key: SymmetricKey
    }

    /// What keys are wrapped under now.
    struct WrappingKeys {
        let deviceKey: SymmetricKey
        /// Nil while there is no passcode, or it was not given.
        let passcode: SymmetricKey?

        init(_ deviceKey: SymmetricKey, keybag: ItemUUID, passcode: SymmetricKey? = nil) {
            self.deviceKey = Keybag.derive(deviceKey, "chatelaine keybag wrap 1", keybag)
            self.passcode = passcode
        }

        func callAsFunction(_ wrapping: Wrapping) -> SymmetricKey? {
            switch wrapping {
            case .deviceKey: deviceKey
            case .passcode: passcode
            }
        }
    }

    // MARK: - Making one

    /// Makes new random keys for a new keychain without a passcode, wrapped under its device key.
    ///
    /// - Throws: `internalError` if the cipher fails.
    package init(creatingUnder deviceKey: DeviceKey, keychain: ItemUUID = ItemUUID()) throws(KeychainError) {
        self.init(keychain: keychain, uuid: ItemUUID(), generation: 1)
        let keys = WrappingKeys(deviceKey.key, keybag: uuid)
        for purpose in [Purpose.index] + Self.classes(withPasscode: false).map(Purpose.accessibility) {
            try wrap(Named(purpose: purpose, madeIn: generation, key: SymmetricKey(size: .bits256)), under: keys)
        }
        try addBackupKeys(under: keys)
        try addPrivateKeyKeys(under: keys)
    }

    init(keychain: ItemUUID, uuid: ItemUUID, generation: UInt64, entries: [Entry] = []) {
        self.keychain = keychain
        self.uuid = uuid
        self.generation = generation
        self.entries = entries
    }

    /// The keys of backups, which no rotation replaces. A keybag of version 1 has none.
    mutating func addBackupKeys(under keys: WrappingKeys) throws(KeychainError) {
        guard !has(.backup) else { return }
        let signing = SecretBytes(P256.Signing.PrivateKey().rawRepresentation)
        try wrap(Named(purpose: .backup, madeIn: generation, key: SymmetricKey(size: .bits256)), under: keys)
        try wrap(Named(purpose: .signing, madeIn: generation, key: signing.symmetricKey()), under: keys)
    }

    /// The keys of private keys. A keybag from before there were such has none.
    mutating func addPrivateKeyKeys(under keys: WrappingKeys) throws(KeychainError) {
        for accessibility in Self.classes(withPasscode: hasPasscode) where accessibility.isThisDeviceOnly {
            guard !has(.privateKeys(accessibility)) else { continue }
            let key = SymmetricKey(size: .bits256)
            try wrap(Named(purpose: .privateKeys(accessibility), madeIn: generation, key: key), under: keys)
        }
    }

    /// Wraps what version 1 has wrapped as later versions do. To be done before it is written.
    mutating func upgrade(under keys: WrappingKeys) throws(KeychainError) {
        guard entries.contains(where: { $0.version != Self.boxVersion }) else { return }
        let opened = try unwrapAll(with: keys)
        entries = []
        for named in opened { try wrap(named, under: keys) }
        try addBackupKeys(under: keys)
    }

    /// The classes that have a key. WhenPasscodeSet has one while there is a passcode.
    static func classes(withPasscode hasPasscode: Bool) -> [Accessibility] {
        Accessibility.allCases.filter { hasPasscode || $0 != .whenPasscodeSetThisDeviceOnly }
    }

    /// What a class's key is wrapped under.
    static func wrapping(of purpose: Purpose, withPasscode hasPasscode: Bool) -> Wrapping {
        switch purpose {
        case .index, .backup, .signing, .biometrySet, .biometry, .accessibility(.always),
            .accessibility(.alwaysThisDeviceOnly), .privateKeys(.alwaysThisDeviceOnly):
            .deviceKey
        case .accessibility, .privateKeys: hasPasscode ? .passcode : .deviceKey
        }
    }

    // MARK: - The keys

    var hasPasscode: Bool { passcode != nil }

    func has(_ purpose: Purpose) -> Bool { entries.contains { $0.purpose == purpose } }

    func entry(of accessibility: Accessibility, madeIn generation: UInt64) -> Entry? {
        entries.first { $0.purpose == .accessibility(accessibility) && $0.madeIn == generation }
    }

    /// The generation that a class's present key was made in.
    func newestGeneration(of accessibility: Accessibility) -> UInt64? {
        entries.filter { $0.purpose == .accessibility(accessibility) }.map(\.madeIn).max()
    }

    /// Whether a key is what the passcode opens.
    func isPasscodeKey(_ key: SymmetricKey) -> Bool {
        guard let passcode else { return false }
        let check = PasscodeRecord.check(
            key,
            keychain: keychain,
            keybag: uuid,
            salt: passcode.salt,
            cost: passcode.cost
        )
        return zip(check, passcode.check).reduce(UInt8(check.count == passcode.check.count ? 0 : 1)) {
            $0 | ($1.0 ^ $1.1)
        } == 0
    }

    /// Whether some class has a key besides the one in use.
    var isRotating: Bool {
        Set(entries.map(\.purpose)).count < entries.count
    }

    /// Takes a key in.
    ///
    /// - Throws: `interactionNotAllowed` where what it is to be wrapped under is not there.
    mutating func wrap(_ named: Named, under keys: WrappingKeys) throws(KeychainError) {
        let wrapping = Self.wrapping(of: named.purpose, withPasscode: hasPasscode)
        guard let wrappingKey = keys(wrapping) else {
            throw KeychainError(.interactionNotAllowed, "the keychain is locked")
        }
        let box = try Cipher.seal(
            key: named.key,
            under: wrappingKey,
            authenticating: associatedData(named.purpose, wrapping, madeIn: named.madeIn, version: Self.boxVersion)
        )
        entries.append(
            Entry(
                purpose: named.purpose,
                wrapping: wrapping,
                madeIn: named.madeIn,
                box: box,
                version: Self.boxVersion
            )
        )
    }

    /// Opens a key; nil where what it is wrapped under is not there.
    ///
    /// - Throws: `notAvailable` where it does not open.
    func unwrap(_ entry: Entry, with keys: WrappingKeys) throws(KeychainError) -> Named? {
        guard let wrappingKey = keys(entry.wrapping) else { return nil }
        let data = associatedData(entry.purpose, entry.wrapping, madeIn: entry.madeIn, version: entry.version)
        guard let key = Cipher.openKey(entry.box, under: wrappingKey, authenticating: data) else { throw Self.damaged }
        return Named(purpose: entry.purpose, madeIn: entry.madeIn, key: key)
    }

    /// All keys that can be opened.
    func unwrapAll(with keys: WrappingKeys) throws(KeychainError) -> [Named] {
        var opened: [Named] = []
        for entry in entries {
            if let named = try unwrap(entry, with: keys) { opened.append(named) }
        }
        return opened
    }

    private func associatedData(_ purpose: Purpose, _ wrapping: Wrapping, madeIn: UInt64, version: UInt8) -> [UInt8] {
        let data = [version] + keychain.bytes + uuid.bytes + [purpose.code]
        return version == 1 ? data : data + [wrapping.rawValue] + madeIn.bigEndianBytes
    }

    static func derive(_ key: SymmetricKey, _ purpose: String, _ salt: ItemUUID) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            salt: salt.bytes,
            info: Array(purpose.utf8),
            outputByteCount: 32
        )
    }

    static let damaged = KeychainError(
        .notAvailable,
        "the keybag is truncated or damaged; put the original file back"
    )
}
