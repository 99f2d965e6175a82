import EnclaveInterface
package import KeychainBackup
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault
import Logging

extension KeychainEngine {
    /// Writes a backup of all items, whosever they are, as of one moment.
    ///
    /// - Parameter sink: gets the file piece by piece. What it was given is no backup unless this returns.
    /// - Throws: `authenticationFailed` where the owner has not allowed it; `interactionNotAllowed` while a class is
    ///   locked of which there are items, and where one is locked meanwhile; what the sink throws.
    package func backup(_ request: BackupRequest, to sink: @escaping BackupSink) throws(KeychainError) -> BackupCounts {
        let enclave = vault.enclave
        try vault.refresh()
        let authorization = try policy.authorizeBackup(request.token, isExport: request.isExport, by: enclave)
        let watch = LockWatch(vault)
        do throws(BackupFailure) {
            let signer = try BackupFailure.translating { () throws(KeychainError) in try enclave.backupSigner() }
            let before = try BackupFailure.translating { () throws(KeychainError) in try enclave.state() }
            var writer = try BackupWriter(
                creationDate: Self.now,
                signer: signer,
                recipients: request.recipients,
                to: { (bytes) throws(KeychainError) in
                    try watch.check()
                    try sink(bytes)
                }
            )
            var damaged = 0
            try BackupFailure.translating { () throws(KeychainError) in
                let box = DeviceBox(key: try enclave.deviceKey(ofBackup: writer.backup), backup: writer.backup)
                try store.read(snapshot: true) { (transaction) throws(KeychainError) in
                    for itemClass in ItemClass.stored {
                        damaged += try write(
                            itemClass,
                            of: transaction,
                            to: &writer,
                            box: box,
                            authorization: authorization,
                            watch: watch
                        )
                    }
                }
            }
            // A row whose key went in the middle, at the end of a rotation, looks like a damaged one.
            let after = try BackupFailure.translating { () throws(KeychainError) in try enclave.state() }
            guard damaged == 0 || (after.keybag == before.keybag && after.generation == before.generation) else {
                throw .failed(KeychainError(.notAvailable, "the keys were changed during the backup; try again"))
            }
            return try writer.finish { (digest) throws(KeychainError) in try enclave.sign(backupDigest: digest) }
        } catch {
            throw error.keychainError
        }
    }

    /// As many rows as are opened with one question to the enclave.
    private static let batch = 256

    /// - Returns: how many rows were damaged.
    private func write(
        _ itemClass: ItemClass,
        of transaction: ReadTransaction,
        to writer: inout BackupWriter,
        box: DeviceBox,
        authorization: AuthorizedBackup,
        watch: LockWatch
    ) throws(KeychainError) -> Int {
        var damaged = 0
        var rows: [SealedRow] = []
        var size = 0
        func flush() throws(KeychainError) {
            try watch.checkAnew()
            for (row, opened) in zip(rows, try vault.open(rows, for: authorization)) {
                do throws(BackupFailure) {
                    switch opened {
                    case .item(let item): try writer.append(item)
                    case .deviceItem(let item): try writer.append(item, in: box)
                    case .staysOut: break
                    case .damaged:
                        log.warning(
                            "row \(row.uuid) of class \(row.itemClass.rawValue) is damaged and not in the backup"
                        )
                        writer.skipDamaged()
                        damaged += 1
                    }
                } catch {
                    throw error.keychainError
                }
            }
            rows.removeAll(keepingCapacity: true)
            size = 0
        }
        try transaction.forEachRow(of: itemClass) { (stored) throws(KeychainError) in
            rows.append(stored.row)
            size += stored.row.metadata.count + stored.row.secret.count
            if rows.count == Self.batch || size > Self.largestBatch { try flush() }
        }
        try flush()
        return damaged
    }

    /// In bytes: items can have many MiB each.
    private static let largestBatch = 4 << 20
}
