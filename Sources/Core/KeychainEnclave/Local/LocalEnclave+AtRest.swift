import KeychainModel
import Synchronization

extension LocalEnclave {
    /// Whether it could be let go of and opened again without anybody's noticing: it has no key that a passcode has opened,
    /// nobody is asked anything, and nobody waits because of wrong answers.
    package var isAtRest: Bool {
        let isQuiet = desk.state.withLock { $0.questions.isEmpty && $0.lookers.isEmpty && $0.wrongFingers == 0 }
        guard isQuiet, unwritten.withLock({ $0.count == 0 }), guesses.withLock(\.isEmpty) else { return false }
        let isClosed = try? withState { (state) throws(KeychainError) in
            !state.keybag.hasPasscode || state.lock == .beforeFirstUnlock
        }
        return isClosed ?? false
    }

    /// Greater than any epoch of an enclave that was opened before, also of the same keychain: epochs count changes, and
    /// there are fewer than milliseconds.
    static var firstEpoch: UInt64 { 1 + StartClock.current.now / 1_000_000 }
}
