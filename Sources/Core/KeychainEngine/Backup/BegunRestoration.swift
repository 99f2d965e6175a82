package import KeychainBackup
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

/// A restoration that the owner has allowed, and as much of the backup as has come.
package struct BegunRestoration {
    package let request: RestoreRequest
    package let spool: SpooledBackup
    fileprivate let authorization: AuthorizedRestore
}

extension KeychainEngine {
    /// Uses the token up before a byte of the backup is taken: no caller fills a disk without an authorization.
    ///
    /// - Parameter largest: the bytes that the backup may have.
    /// - Throws: `authenticationFailed`.
    package func beginRestoration(
        _ request: RestoreRequest,
        largest: UInt64
    ) throws(KeychainError) -> BegunRestoration {
        try vault.refresh()
        let authorization = try policy.authorizeRestore(request.token, by: vault.enclave)
        let path = store.path ?? "/tmp/"
        // The copy of a keychain that fits has some bytes more than the keychain.
        let most = store.storageLimit.map { limit in
            UInt64(clamping: limit.bytes).addingReportingOverflow(UInt64(clamping: limit.bytes) / 4 + (16 << 20))
        }
        let quota = most.flatMap { $0.overflow || $0.partialValue >= largest ? nil : $0.partialValue }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let spool = try SpooledBackup(in: folder, largest: quota ?? largest, isQuota: quota != nil)
        return BegunRestoration(request: request, spool: spool, authorization: authorization)
    }

    /// - Throws: as `restore`.
    package func finish(_ restoration: BegunRestoration) throws(KeychainError) -> RestoreReport {
        try restore(restoration.request, from: restoration.spool, with: restoration.authorization)
    }
}
