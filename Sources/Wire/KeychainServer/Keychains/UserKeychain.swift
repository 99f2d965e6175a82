import KeychainEngine
import KeychainModel

/// One user's keychain and the record of what is done with it.
final class UserKeychain: Sendable {
    let audit: AuditLog
    private let keychain: OpenKeychain

    init(audit: AuditLog, keychain: OpenKeychain) {
        self.audit = audit
        self.keychain = keychain
    }

    func withEngine<Value>(
        _ body: (KeychainEngine) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try keychain.withEngine(body)
    }

    /// Closes the files until they are needed again. No call may be under way.
    func close() {
        keychain.close(emptiesJournal: true)
        audit.close()
    }
}
