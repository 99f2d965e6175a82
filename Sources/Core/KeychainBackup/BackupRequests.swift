package import EnclaveInterface
package import KeychainModel

/// A request for a backup of a keychain.
package struct BackupRequest: Sendable {
    /// Says that the owner has allowed it.
    package let token: AuthorizationToken
    /// Whether it is to be read by people and other programs: then without items of this device alone.
    package let isExport: Bool
    package let recipients: [BackupRecipient]

    package init(token: AuthorizationToken, isExport: Bool = false, recipients: [BackupRecipient]) {
        self.token = token
        self.isExport = isExport
        self.recipients = recipients
    }
}

/// A request to restore a backup.
package struct RestoreRequest: Sendable {
    /// Says that the owner has allowed it.
    package let token: AuthorizationToken
    package let fileKey: FileKey
    package let rule: ConflictRule
    /// Changes nothing, and tells of each item what would become of it.
    package let isDryRun: Bool
    /// Takes it from whomever, and knows them from then on.
    package let acceptsOrigin: Bool

    package init(
        token: AuthorizationToken,
        fileKey: FileKey,
        rule: ConflictRule = .newer,
        isDryRun: Bool = false,
        acceptsOrigin: Bool = false
    ) {
        self.token = token
        self.fileKey = fileKey
        self.rule = rule
        self.isDryRun = isDryRun
        self.acceptsOrigin = acceptsOrigin
    }
}

/// Where a backup's bytes come from.
///
/// - Parameter count: how many are wanted at most.
/// - Returns: as many as there are, at least one; none at the end.
package typealias BackupSource = (_ count: Int) throws(KeychainError) -> [UInt8]

/// Where a backup's bytes go.
package typealias BackupSink = (_ bytes: [UInt8]) throws(KeychainError) -> Void

/// A backup that can be read more than once.
package protocol BackupFile {
    /// The bytes from the beginning.
    func source() throws(KeychainError) -> BackupSource
}
