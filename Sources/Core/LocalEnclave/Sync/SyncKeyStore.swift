import Crypto
import EnclaveInterface
import KeychainModel
import KeychainSync
import KeychainSystem

/// Keeps the file with the device's keys, and the keys that are made for it.
final class SyncKeyStore: Sendable {
    private struct State {
        var isRead = false
        var file: SyncKeyFile?
        var stamp: FileStamp?
    }

    private let keyRing: KeyRing
    private let current = Protected(State())

    private var locking: EnclaveLock { keyRing.locking }
    private static let group = "org.chatelaine.sync"

    init(_ keyRing: KeyRing) {
        self.keyRing = keyRing
    }

    // MARK: - The file

    /// Nil where this device has no such keys.
    func present() throws(KeychainError) -> SyncKeyFile? {
        let deviceKey = try locking.deviceKey
        return try current.withState { (state) throws(KeychainError) in
            let stamp = locking.storage.syncStamp
            if state.isRead, stamp == state.stamp { return state.file }
            var file: SyncKeyFile?
            if let bytes = try locking.storage.syncKeys() {
                file = try SyncKeyFile(bytes, of: locking.keychain, under: deviceKey)
            }
            state = State(isRead: true, file: file, stamp: stamp)
            return file
        }
    }

    /// Changes the file, alone among all processes. The new contents are written before this returns.
    func edit<Value>(
        _ body: (inout SyncKeyFile?) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try keyRing.editor.exclusively { () throws(KeychainError) in
            let before = try present()
            var file = before
            let value = try body(&file)
            if file != before { try write(file) }
            return value
        }
    }

    private func write(_ file: SyncKeyFile?) throws(KeychainError) {
        let deviceKey = try locking.deviceKey
        try current.withState { (state) throws(KeychainError) in
            // If the writing fails, the file is read again.
            state.isRead = false
            try locking.storage.write(syncKeys: file?.file(of: locking.keychain, under: deviceKey))
            state = State(isRead: true, file: file, stamp: locking.storage.syncStamp)
        }
    }

    // MARK: - Keys

    /// - Throws: `interactionNotAllowed` while the device is locked.
    func makeKeys() throws(KeychainError) -> SyncKeyFile {
        let template = EnclaveKeyTemplate(
            accessGroup: Self.group,
            accessControl: AccessControl(bare: .afterFirstUnlockThisDeviceOnly)
        )
        let unlocked = try keyRing.wrappingKey(ofPrivateKeysIn: .whenUnlockedThisDeviceOnly)
        let signing = try keyRing.makeKey(template, with: .none)
        do {
            let sealing = try XWingMLKEM768X25519.PrivateKey.generate()
            let card = try DeviceCard(
                kind: .device,
                signingKey: signing.publicKey.externalRepresentation,
                sealingKey: Array(sealing.publicKey.rawRepresentation)
            )
            let box = try Cipher.seal(
                sealing.seedRepresentation,
                under: unlocked,
                authenticating: data("sealing key", card.id)
            )
            return SyncKeyFile(signing, card, sealing: box)
        } catch let error as KeychainError {
            throw error
        } catch {
            throw KeychainError(.internalError, "no keys can be made for this device")
        }
    }

    /// Whether a private key is one of a device's, which programs do not use.
    static func isDeviceKey(_ key: EnclaveKey) -> Bool { key.header.accessGroup == group }

    func sign(_ statement: SyncStatement, with file: SyncKeyFile) throws(KeychainError) -> [UInt8] {
        // The digest is the message.
        let digest = SyncHash(of: statement.digest.bytes).bytes
        let signature = try keyRing.use(file.signing, for: .signature(ofDigest: digest), with: .none)
        return unsafe signature.withUnsafeBytes { unsafe Array($0) }
    }

    /// - Throws: `interactionNotAllowed` while the device is locked.
    func sealingKey(of file: SyncKeyFile) throws(KeychainError) -> XWingMLKEM768X25519.PrivateKey {
        let unlocked = try keyRing.wrappingKey(ofPrivateKeysIn: .whenUnlockedThisDeviceOnly)
        guard
            let seed = Cipher.openSecret(
                file.sealing,
                under: unlocked,
                authenticating: data("sealing key", file.card.id)
            ),
            let key = unsafe seed.withUnsafeBytes({
                unsafe try? XWingMLKEM768X25519.PrivateKey(seedRepresentation: $0, publicKey: nil)
            })
        else { throw Self.destroyed }
        return key
    }

    // MARK: - Epochs

    func sealed(_ secret: EpochSecret, isOwn: Bool = false) throws(KeychainError) -> SyncKeyFile.Epoch {
        let locked = unsafe SecretBytes(count: 64) { bytes in
            for (offset, key) in [(0, secret.key(of: .afterFirstUnlock)), (32, secret.digestKey)] {
                unsafe key.withUnsafeBytes { key in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: key)
                }
            }
        }
        return SyncKeyFile.Epoch(
            id: secret.id,
            isOwn: isOwn,
            isSigned: false,
            secret: try Cipher.seal(
                key: secret.key,
                under: try keyRing.wrappingKey(ofPrivateKeysIn: .whenUnlockedThisDeviceOnly),
                authenticating: data("epoch", secret.id)
            ),
            locked: try Cipher.seal(
                secret: locked,
                under: try keyRing.wrappingKey(ofPrivateKeysIn: .afterFirstUnlockThisDeviceOnly),
                authenticating: data("epoch while locked", secret.id)
            )
        )
    }

    /// - Throws: `itemNotFound` for an epoch whose secret this device does not have, `interactionNotAllowed` while it is locked.
    func secret(of id: EpochID, in file: SyncKeyFile) throws(KeychainError) -> EpochSecret {
        let unlocked = try keyRing.wrappingKey(ofPrivateKeysIn: .whenUnlockedThisDeviceOnly)
        guard let epoch = file.epoch(id) else { throw Self.noEpoch }
        guard let key = Cipher.openKey(epoch.secret, under: unlocked, authenticating: data("epoch", id)) else {
            throw Self.destroyed
        }
        return EpochSecret(key)
    }

    /// What a locked device has of an epoch's secret.
    ///
    /// - Throws: the same, before the first unlock.
    func lockedKeys(
        of id: EpochID,
        in file: SyncKeyFile
    ) throws(KeychainError) -> (tier: SymmetricKey, digest: SymmetricKey) {
        let key = try keyRing.wrappingKey(ofPrivateKeysIn: .afterFirstUnlockThisDeviceOnly)
        guard let epoch = file.epoch(id) else { throw Self.noEpoch }
        let data = data("epoch while locked", id)
        guard let keys = Cipher.openSecret(epoch.locked, under: key, authenticating: data), keys.count == 64 else {
            throw Self.destroyed
        }
        return unsafe keys.withUnsafeBytes {
            unsafe (SymmetricKey(data: $0.prefix(32)), SymmetricKey(data: $0.suffix(32)))
        }
    }

    /// What a box is bound to.
    private func data(_ kind: String, _ id: SyncHash) -> [UInt8] {
        Array("chatelaine sync \(kind) 1".utf8) + locking.keychain.bytes + id.bytes
    }

    private static let noEpoch = KeychainError(.itemNotFound, "this device does not have the secret of that epoch")
    private static let destroyed = KeychainError(
        .notAvailable,
        "the keys of this device in its circle were destroyed; leave the circle, and join it as a new device"
    )
}
