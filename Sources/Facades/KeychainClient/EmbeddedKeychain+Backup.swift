package import EnclaveInterface
package import KeychainBackup
import KeychainEngine
package import KeychainModel

extension EmbeddedKeychain: BackupService {
    /// The enclave that this keychain itself uses: no other in the process knows its tokens.
    package func control() throws(KeychainError) -> any EnclaveControl {
        try withEngine { (engine) throws(KeychainError) in try engine.ownerControl() }
    }

    package func backup(
        _ request: BackupRequest,
        to sink: @escaping BackupSink
    ) throws(KeychainError) -> BackupCounts {
        try withEngine { (engine) throws(KeychainError) in try engine.backup(request, to: sink) }
    }

    package func restore(
        _ request: RestoreRequest,
        from file: some BackupFile,
        progress: (UInt64) -> Void
    ) throws(KeychainError) -> RestoreReport {
        try withEngine { (engine) throws(KeychainError) in try engine.restore(request, from: file) }
    }

    package func origin(ofBackupsBy signer: [UInt8]) throws(KeychainError) -> BackupOrigin {
        try withEngine { (engine) throws(KeychainError) in try engine.origin(ofBackupsBy: signer) }
    }
}
