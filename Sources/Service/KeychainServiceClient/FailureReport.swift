package import KeychainModel
package import Logging
import Synchronization

/// Says why a keychain cannot be used, in the log of the program: once for each reason, since every call fails alike.
package final class FailureReport: Sendable {
    private let log: Logger
    private let level: Logger.Level
    private let last = Mutex<String>("")

    package init(log: Logger, level: Logger.Level = .error) {
        self.log = log
        self.level = level
    }

    /// A failure of a call. Only what concerns the keychain as a whole is told here; a refused request is the caller's
    /// business, and `KeychainLog.query` tells of it on demand.
    package func report(_ error: KeychainError) {
        // That nobody can be asked, or that a person declines, is nothing that has to be mended.
        if case .failed = error.presence { return log.debug("\(error.message)") }
        switch error.code {
        case .notAvailable, .noPermission, .readOnly, .diskFull, .inputOutput, .outOfMemory, .internalError:
            reportOnce(error)
        case .invalidParameter, .noSuchAttribute, .notSelectable, .unsupportedReference, .missingField, .noSuchClass,
            .duplicateItem,
            .itemNotFound, .missingEntitlement, .interactionNotAllowed, .authenticationFailed, .userCanceled,
            .dataTooLarge, .unimplemented, .undecodable, .verifyFailed:
            break
        }
    }

    /// A failure that every call will meet.
    package func reportOnce(_ error: KeychainError) { reportOnce(error.message) }

    package func reportOnce(_ message: String) {
        let isNew = last.withLock { last in
            defer { last = message }
            return last != message
        }
        if isNew { log.log(level: level, "\(message)") }
    }
}
