import EnclaveInterface
import KeychainModel

/// A factor, as the desk uses it.
struct PresenceFactor: Sendable {
    let factors: PresenceFactors
    /// What a prompter needs in order to bring it.
    let ability: PrompterAbilities
    /// What a prompter is shown.
    let wish: Prompt.Wish
    /// Tells whether the typed secret is right, given the keychain's verifier of passcodes. Nil where nothing is typed.
    let verifier: (@Sendable (_ ofPasscode: PresenceDesk.Verifier?) -> PresenceDesk.Verifier?)?
    /// Why it cannot be used now; nil where it can.
    let obstacle: @Sendable (PresenceDeskState) -> PresenceFailure?

    /// Of the factors that are typed, a prompter is asked for one at a time.
    var isTyped: Bool { ability == .typing }

    static let passcode = PresenceFactor(
        factors: .passcode,
        ability: .typing,
        wish: .passcode,
        verifier: { $0 },
        obstacle: { state in
            guard state.hasPasscode else { return .noPasscode }
            return state.abilities.contains(.typing) ? nil : .nobodyToAsk
        }
    )

    static let biometry = PresenceFactor(
        factors: .biometry,
        ability: .biometry,
        wish: .biometry,
        verifier: nil,
        obstacle: biometryObstacle
    )

    static let all = [passcode, biometry]

    private static func biometryObstacle(in state: PresenceDeskState) -> PresenceFailure? {
        guard state.abilities.contains(.biometry), let biometry = state.biometry else { return .noBiometry }
        if let obstacle = biometry.obstacle { return obstacle }
        if state.wrongFingers >= PresenceDesk.mostWrongFingers { return .biometryLockout }
        // A person who touches the reader has to see the reason.
        return state.abilities.contains(.typing) ? nil : .nobodyToAsk
    }
}
