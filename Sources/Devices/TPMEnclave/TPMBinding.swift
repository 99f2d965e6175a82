import Crypto
package import EnclaveInterface
import KeychainFiles
package import KeychainModel
package import LocalEnclave
import Synchronization

/// A device key that a TPM 2.0 has sealed, and the keychain's places in the TPM's own memory.
///
/// The key needs no authorisation, so that a machine opens it at its start. What the passcode protects asks for the
/// second secret besides, which the TPM gives out against the passcode alone.
package final class TPMBinding: DeviceBinding {
    private let device: TPMDevice
    private let path: String
    private let known = Mutex<Known?>(nil)

    /// What was in the file and what was sealed beside the key.
    private struct Known {
        let sealed: SealedDeviceKey
        let counterAuthorization: SecretBytes
    }

    /// - Parameter path: of the device key's file.
    package init(path: String, device: TPMDevice) {
        self.path = path
        self.device = device
    }

    package var kind: DeviceBindingKind { .tpm }

    // MARK: - The device key

    /// What is sealed: the device key as a file has it, and what the counter is used by.
    private static let counterAuthorizationSize = 32
    private static let sealedSize = DeviceKey.fileSize + counterAuthorizationSize

    package func deviceKey() throws(KeychainError) -> DeviceKey? {
        guard let file = try SecureFile.read(path, largest: SealedDeviceKey.largestFile, ownership: .own) else {
            return nil
        }
        let sealed = try SealedDeviceKey(file: unsafe file.withUnsafeBytes { unsafe Array($0) })
        let secret: SecretBytes
        do throws(TPMFailure) {
            secret = try device.withSession(root: sealed.root) { (session, _) throws(TPMFailure) in
                try session.unseal(sealed.blob, count: Self.sealedSize)
            }
        } catch {
            throw failure(error, sealed)
        }
        let (key, authorization) = unsafe secret.withUnsafeBytes { bytes in
            unsafe (SecretBytes(bytes.prefix(DeviceKey.fileSize)), SecretBytes(bytes.dropFirst(DeviceKey.fileSize)))
        }
        known.withLock { $0 = Known(sealed: sealed, counterAuthorization: authorization) }
        return try DeviceKey(file: key)
    }

    package func makeDeviceKey() throws(KeychainError) -> DeviceKey {
        let key = DeviceKey()
        let authorization = SymmetricKey(size: .bits256).secretBytes
        let contents = Self.joined(key.file, authorization)
        // Some TPMs make no key there without an authorisation. Then one that was cleared is not told from another.
        let endorsement = try? device.look { (session) throws(TPMFailure) in try session.endorsementName() }
        let (blob, root): (SealedBlob, [UInt8])
        do throws(TPMFailure) {
            (blob, root) = try device.withSession { (session, root) throws(TPMFailure) in
                (try session.seal(contents), root)
            }
        } catch {
            throw error.keychainError(at: device.place)
        }
        let identity = unsafe SymmetricKey(size: .bits128).withUnsafeBytes { unsafe Array($0) }
        let sealed = SealedDeviceKey(binding: identity, root: root, endorsement: endorsement, blob: blob)
        try SecureFile.write(SecretBytes(sealed.file), to: path)
        known.withLock { $0 = Known(sealed: sealed, counterAuthorization: authorization) }
        return key
    }

    private static func joined(_ first: SecretBytes, _ second: SecretBytes) -> SecretBytes {
        unsafe SecretBytes(count: first.count + second.count) { target in
            unsafe first.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
            unsafe second.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[first.count...]).copyMemory(from: $0)
            }
        }
    }

    // MARK: - What is beside it

    package var passcodeSecrets: (any PasscodeSecretStore)? { TPMPasscodeSecrets(self) }
    package var rollbackCounter: (any RollbackCounter)? { TPMRollbackCounter(self) }
    package var hardwareKeys: (any HardwareKeys)? { TPMKeys(self) }

    private func knowledge() throws(KeychainError) -> Known {
        if let known = known.withLock({ $0 }) { return known }
        _ = try deviceKey()
        guard let known = known.withLock({ $0 }) else { throw KeychainError.missing(path) }
        return known
    }

    /// Runs something with the keychain's TPM, and no other.
    func withSession<Result: Sendable>(
        _ role: UInt8,
        _ body: @Sendable (borrowing TPMSession, NVPlace) throws(TPMFailure) -> Result
    ) throws(KeychainError) -> Result {
        let place = NVPlace(binding: try knowledge().sealed.binding, role: role)
        return try withSession { (session) throws(TPMFailure) in try body(session, place) }
    }

    func withSession<Result: Sendable>(
        _ body: @Sendable (borrowing TPMSession) throws(TPMFailure) -> Result
    ) throws(KeychainError) -> Result {
        let sealed = try knowledge().sealed
        do throws(TPMFailure) {
            return try device.withSession(root: sealed.root) { (session, _) throws(TPMFailure) in try body(session) }
        } catch {
            throw failure(error, sealed)
        }
    }

    func properties() throws(TPMFailure) -> TPMProperties { try device.properties() }

    func counterAuthorization() throws(KeychainError) -> SecretBytes { try knowledge().counterAuthorization }

    // MARK: - What went wrong

    private func failure(_ failure: TPMFailure, _ sealed: SealedDeviceKey) -> KeychainError {
        let place = device.place
        switch failure.reason {
        case .otherSeed:
            let found = try? device.look { (session) throws(TPMFailure) in try session.endorsementName() }
            guard let found, let endorsement = sealed.endorsement else { return failure.keychainError(at: place) }
            return KeychainError(
                .notAvailable,
                found == endorsement
                    ? "the TPM at \(place) was cleared, and what it had sealed is lost; restore a backup"
                    : "the keychain was made with another TPM than the one at \(place); restore a backup"
            )
        case .lockedOut:
            let properties = try? device.properties()
            let interval = properties.map(\.interval) ?? 0
            return KeychainError(
                .notAvailable,
                "the TPM at \(place) is locked out after wrong authorisations, not only of this keychain; "
                    + "it takes the next one in at most \(interval) seconds"
            )
        default:
            return failure.keychainError(at: place)
        }
    }
}
