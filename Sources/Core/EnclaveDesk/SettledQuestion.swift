import Dispatch
import KeychainModel
import Synchronization

/// What came of a question, for the thread that waits for it.
final class SettledQuestion: Sendable {
    private let outcome = Mutex<Result<PresenceProof, KeychainError>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    func settle(_ result: Result<PresenceProof, KeychainError>) {
        outcome.withLock { $0 = $0 ?? result }
        done.signal()
    }

    var result: Result<PresenceProof, KeychainError>? { outcome.withLock { $0 } }

    /// Waits for a moment.
    ///
    /// - Returns: nil where nothing has come yet.
    func wait() -> Result<PresenceProof, KeychainError>? {
        _ = done.wait(timeout: .now() + .milliseconds(200))
        return result
    }
}
