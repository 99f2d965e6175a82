import EnclaveInterface
import KeychainModel

/// A factor, as the desk uses it.
struct PresenceFactor: Sendable {
    /// A secret that the person types.
    struct Secret: Sendable {
        /// Tells whether the typed secret is right, given the keychain's verifier of passcodes.
        let verifier: @Sendable (_ ofPasscode: PresenceDesk.Verifier?) -> PresenceDesk.Verifier?
        /// Why nobody can have such a secret now; nil where somebody can.
        let obstacle: @Sendable (PresenceDeskState) -> PresenceFailure?
    }

    /// What a trusted prompter reads, and says whether it is enrolled.
    struct Reader: Sendable {
        /// Why it cannot be used while nothing reads it.
        let absence: PresenceFailure
        /// Why it cannot be used after too many mismatches in a row.
        let lockout: PresenceFailure
        let mostMismatches: Int
    }

    enum Way: Sendable {
        /// Of the factors that are typed, a prompter is asked for one at a time.
        case typed(Secret)
        case read(Reader)
    }

    let factors: PresenceFactors
    let way: Way

    static let passcode = PresenceFactor(
        factors: .passcode,
        way: .typed(Secret(verifier: { $0 }, obstacle: { $0.hasPasscode ? nil : .noPasscode }))
    )

    static let biometry = PresenceFactor(
        factors: .biometry,
        way: .read(
            Reader(absence: .noBiometry, lockout: .biometryLockout, mostMismatches: PresenceDesk.mostWrongFingers)
        )
    )

    static let all = [passcode, biometry]

    /// The factor of this number, if a reader reads it.
    static func read(_ factors: PresenceFactors) -> (factor: PresenceFactor, reader: Reader)? {
        guard let factor = all.first(where: { $0.factors == factors }), case .read(let reader) = factor.way else {
            return nil
        }
        return (factor, reader)
    }

    var isTyped: Bool { if case .typed = way { true } else { false } }

    /// What a prompter needs in order to bring it.
    var ability: PrompterAbilities { isTyped ? .typing : .reading(factors) }

    /// What a prompter is shown.
    var wish: Prompt.Wish { .proof(factors) }

    /// Why it cannot be used now; nil where it can.
    func obstacle(in state: PresenceDeskState) -> PresenceFailure? {
        switch way {
        case .typed(let secret):
            if let obstacle = secret.obstacle(state) { return obstacle }
        case .read(let reader):
            guard state.abilities.contains(ability), let seen = state.readers[factors]?.seen else {
                return reader.absence
            }
            if let obstacle = seen.obstacle { return obstacle }
            if state.isLockedOut(factors) { return reader.lockout }
        }
        // A person who touches a reader has to see the reason.
        return state.abilities.contains(.typing) ? nil : .nobodyToAsk
    }
}
