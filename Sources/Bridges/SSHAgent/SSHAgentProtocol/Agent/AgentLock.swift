import Crypto
import KeychainModel

/// Whether an agent is locked by a passphrase, and how fast one can be guessed.
struct AgentLock: Sendable {
    /// Of the passphrase, under a random key that is as old as the lock; nil while it is open.
    private var code: (key: SymmetricKey, code: [UInt8])?
    private var wrongTries: UInt64 = 0
    /// Milliseconds of the clock; before that, no passphrase is looked at.
    private var nextTry: UInt64 = 0

    private static let longestDelay: UInt64 = 10_000
    private static let delayOfEach: UInt64 = 100

    var isLocked: Bool { code != nil }

    enum Outcome: Equatable {
        case done
        case refused(afterMilliseconds: UInt64)
    }

    mutating func lock(_ passphrase: SecretBytes) -> Outcome {
        guard code == nil else { return .refused(afterMilliseconds: 0) }
        let key = SymmetricKey(size: .bits256)
        code = (key, Array(HMAC<SHA256>.authenticationCode(for: passphrase.copied, using: key)))
        wrongTries = 0
        return .done
    }

    /// - Parameter now: milliseconds of a clock that never goes back.
    mutating func unlock(_ passphrase: SecretBytes, now: UInt64) -> Outcome {
        guard let known = code else { return .refused(afterMilliseconds: 0) }
        // Many connections at once guess no faster than one.
        guard now >= nextTry else { return .refused(afterMilliseconds: nextTry - now) }
        // Takes the same time whatever the answer is.
        if HMAC<SHA256>.isValidAuthenticationCode(known.code, authenticating: passphrase.copied, using: known.key) {
            code = nil
            wrongTries = 0
            return .done
        }
        wrongTries = min(wrongTries + 1, Self.longestDelay / Self.delayOfEach)
        let delay = wrongTries * Self.delayOfEach
        let (next, isBeyond) = now.addingReportingOverflow(delay)
        nextTry = isBeyond ? .max : next
        return .refused(afterMilliseconds: delay)
    }
}
