import Crypto
import EnclaveInterface
import EnclaveMessages
import KeychainModel

extension WrapRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [[UInt8]] {
        try visit.enclave.wrap(keys, with: visit.own(credentials))
    }
}

extension UnwrapRequest: ServedRequest {
    var releasedKeys: Int { keys.count }

    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>] {
        try visit.enclave.unwrap(keys, with: visit.own(credentials))
    }
}

extension RewrapRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [[UInt8]] {
        try visit.enclave.rewrap(keys).map { $0 ?? [] }
    }
}

extension BeginRotationRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> EnclaveState {
        try visit.enclave.beginRotation(token)
    }
}

extension FinishRotationRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> EnclaveState {
        try visit.enclave.finishRotation(of: generation)
    }
}

extension MakePrivateKeyRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> EnclaveKey {
        try visit.enclave.makeKey(template, with: visit.own(credentials))
    }
}

extension UsePrivateKeyRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> Result<SecretBytes, KeychainError> {
        do throws(KeychainError) {
            return .success(try visit.enclave.use(key, for: use, with: visit.own(credentials)))
        } catch {
            guard error.need != nil else { throw error }
            return .failure(error)
        }
    }
}

extension RedeemRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) { try visit.enclave.redeem(token, for: operation) }
}

extension BackupKeyRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> SymmetricKey {
        try visit.enclave.deviceKey(ofBackup: backup)
    }
}

extension SignBackupRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [UInt8] {
        try visit.enclave.sign(backupDigest: digest)
    }
}

extension BackupSignerRequest: ServedRequest {
    func answer(_ visit: EnclaveVisit) throws(KeychainError) -> [UInt8] { try visit.enclave.backupSigner() }
}
