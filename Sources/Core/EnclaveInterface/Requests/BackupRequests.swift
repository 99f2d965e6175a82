package import Crypto
package import KeychainModel

// Owner authorizations, and what backups need.

/// Uses up what the owner has authorized.
package struct RedeemRequest: EnclaveRequest {
    package static let description = RequestDescription(8, from: .service, on: .changes(), answer: .nothing)

    package let token: AuthorizationToken
    package let operation: GuardedOperation

    package init(_ token: AuthorizationToken, for operation: GuardedOperation) {
        self.token = token
        self.operation = operation
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        operation = try reader.operation()
        token = try reader.token()
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        writer.append(operation.rawValue)
        writer.append(token.bytes)
    }
}

extension Enclave {
    /// Uses up a token.
    ///
    /// - Throws: `authenticationFailed` for one that was not given for this, is used up or too old.
    package func redeem(_ token: AuthorizationToken, for operation: GuardedOperation) throws(KeychainError) {
        try answer(RedeemRequest(token, for: operation))
    }
}

/// The key of this device's items in a backup.
package struct BackupKeyRequest: EnclaveRequest {
    package static let description = RequestDescription(
        9,
        from: .service,
        on: .changes(),
        isRepeatable: true,
        answer: .key
    )

    package let backup: ItemUUID

    package init(_ backup: ItemUUID) {
        self.backup = backup
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { backup = try reader.uuid() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { writer.append(backup.bytes) }
}

extension Enclave {
    /// The key that binds a part of a backup to this device. Rotation leaves what it is derived from alone.
    package func deviceKey(ofBackup backup: ItemUUID) throws(KeychainError) -> SymmetricKey {
        try answer(BackupKeyRequest(backup))
    }
}

package struct SignBackupRequest: EnclaveRequest {
    package static let description = RequestDescription(10, from: .service, on: .changes(), answer: .bytes)

    package let digest: [UInt8]

    package init(digest: [UInt8]) {
        self.digest = digest
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { digest = try reader.short() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { try writer.append(short: digest) }
}

extension Enclave {
    /// Signs a backup's digest.
    ///
    /// - Throws: `invalidParameter` for a digest of another length than SHA-256's.
    package func sign(backupDigest: [UInt8]) throws(KeychainError) -> [UInt8] {
        try answer(SignBackupRequest(digest: backupDigest))
    }
}

/// The public key that this device's backups are signed with.
package struct BackupSignerRequest: BodilessRequest {
    package static let description = RequestDescription(
        11,
        from: .service,
        on: .changes(),
        isRepeatable: true,
        answer: .bytes
    )

    package init() {}
}

extension Enclave {
    /// The P-256 public key (X9.63) that backups of this device are signed by.
    package func backupSigner() throws(KeychainError) -> [UInt8] { try answer(BackupSignerRequest()) }
}
