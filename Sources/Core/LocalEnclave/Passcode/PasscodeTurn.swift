import KeychainModel
import Synchronization

/// Lets one passcode be tried at a time, since each try takes 128 MiB, and only so many wait for it.
final class PasscodeTurn: Sendable {
    private let waiting = Atomic<Int>(0)
    private let mutex = Protected(())

    /// As many as any number of log-ins at once may bring; each waits for a part of a second for each before it.
    private static let mostWaiting = 128

    func take<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        let before = waiting.add(1, ordering: .relaxed).oldValue
        defer { waiting.subtract(1, ordering: .relaxed) }
        guard before < Self.mostWaiting else {
            throw KeychainError(.notAvailable, "too many passcodes are waiting to be tried; try again later")
        }
        return try mutex.withState { (_) throws(KeychainError) in try body() }
    }
}
