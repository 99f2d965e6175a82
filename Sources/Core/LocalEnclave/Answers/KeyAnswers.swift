package import Crypto
package import EnclaveInterface
package import KeychainModel

extension WrapRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [[UInt8]] {
        try visit.keyRing.wrap(keys, with: visit.own(credentials))
    }
}

extension UnwrapRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>] {
        try visit.keyRing.unwrap(keys, with: visit.own(credentials))
    }
}

extension RewrapRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [[UInt8]?] {
        try visit.keyRing.rewrap(keys)
    }
}

extension BeginRotationRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> EnclaveState {
        try visit.passcode.redeem(token, for: .rotateKeys)
        return try visit.keyRing.beginRotation()
    }
}

extension FinishRotationRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> EnclaveState {
        try visit.keyRing.finishRotation(of: generation)
    }
}

extension MakePrivateKeyRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> EnclaveKey {
        try visit.keyRing.makeKey(template, with: visit.own(credentials))
    }
}

extension UsePrivateKeyRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> Result<SecretBytes, KeychainError> {
        guard !SyncKeyStore.isDeviceKey(key) else {
            throw KeychainError(.noPermission, "a device signs for its circle alone")
        }
        do throws(KeychainError) {
            return .success(try visit.keyRing.use(key, for: use, with: visit.own(credentials)))
        } catch {
            guard error.need != nil else { throw error }
            return .failure(error)
        }
    }
}

extension RedeemRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) {
        try visit.passcode.redeem(token, for: operation)
    }
}

extension BackupKeyRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> SymmetricKey {
        try visit.keyRing.deviceKey(ofBackup: backup)
    }
}

extension SignBackupRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [UInt8] {
        try visit.keyRing.sign(backupDigest: digest)
    }
}

extension BackupSignerRequest: ServedRequest {
    package func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [UInt8] { try visit.keyRing.backupSigner() }
}
