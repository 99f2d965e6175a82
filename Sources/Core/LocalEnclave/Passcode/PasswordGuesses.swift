import EnclaveDesk
import KeychainModel

/// Wrong application passwords since the last right one, item by item. They live as long as the process: a user who may
/// end the enclave needs no guesses.
struct PasswordGuesses {
    private var wrong: [ItemUUID: Attempts] = [:]

    var isEmpty: Bool { wrong.isEmpty }

    /// More items than a person has.
    private static let most = 4_096

    /// Counts a try of a password, before it is made.
    ///
    /// - Throws: `authenticationFailed` while one has to wait.
    mutating func begin(_ item: ItemUUID, at clock: StartClock) throws(KeychainError) {
        let before = wrong[item] ?? .none
        let seconds = before.remaining(at: clock, hardware: nil)
        guard seconds == 0 else {
            throw KeychainError(
                .authenticationFailed,
                "wrong application passwords were given; the next one can be given in \(seconds) seconds"
            )
        }
        if wrong[item] == nil, wrong.count >= Self.most {
            // Entries without a remaining delay matter least.
            wrong = wrong.filter { $0.value.remaining(at: clock, hardware: nil) > 0 }
            guard wrong.count < Self.most else {
                throw KeychainError(.notAvailable, "too many wrong application passwords were given; try again later")
            }
        }
        wrong[item] = Attempts(count: before.count + 1, armed: clock.now)
    }

    mutating func succeeded(_ item: ItemUUID) {
        wrong[item] = nil
    }
}
