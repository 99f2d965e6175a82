package import KeychainModel

/// Why a backup cannot be used. What is wrong with the file is told apart, since the owner does something else about
/// each.
package enum BackupFailure: Error, Equatable {
    /// Something else than a backup.
    case notABackup
    case newerVersion
    /// The file ends before the backup does.
    case truncated
    /// A byte is not as it was written. It was changed by accident or on purpose.
    case damaged
    case wrongPassphrase
    /// The backup was made for other keys than the ones at hand.
    case notForThisKey
    /// Something that is not the format's: a disk, a cipher, a parameter.
    case failed(KeychainError)

    /// The same for those who know nothing of backups.
    package var keychainError: KeychainError {
        switch self {
        case .notABackup: KeychainError(.undecodable, "the file is not a backup of a keychain")
        case .newerVersion: KeychainError(.undecodable, "the backup is of a newer version; use the newer program")
        case .truncated:
            KeychainError(.undecodable, "the backup is cut short: the end of the file is missing; take a whole copy")
        case .damaged:
            KeychainError(.undecodable, "the backup is damaged: it is not as it was written; take another copy")
        case .wrongPassphrase:
            KeychainError(.authenticationFailed, "the passphrase is wrong; the backup itself is not damaged")
        case .notForThisKey:
            KeychainError(
                .authenticationFailed,
                "the backup was made for other keys; give the passphrase or identity it has"
            )
        case .failed(let error): error
        }
    }

    /// Runs something that fails in the keychain's own terms.
    package static func translating<Value>(
        _ body: () throws(KeychainError) -> Value
    ) throws(BackupFailure) -> Value {
        do throws(KeychainError) {
            return try body()
        } catch {
            throw .failed(error)
        }
    }
}
