import Dispatch
package import KeychainModel
import Synchronization

/// The biometry state.
extension PresenceDesk {
    /// Takes in what can be seen of the owner's fingers. Only a trusted prompter may say so.
    package func saw(_ biometry: BiometryState) {
        withState { state, _, effects in state.biometryChanged(biometry, &effects) }
    }

    /// Has somebody look at the owner's fingers, and waits until they have, or for some seconds. Before this, or after
    /// nobody has answered, no finger can be read.
    package func look() {
        let seen = DispatchSemaphore(value: 0)
        let clock = StartClock.current
        let look = withState { state, performers, effects in
            let look = state.look(at: clock, &effects)
            if let look { performers.looks[look] = seen }
            return look
        }
        guard let look, seen.wait(timeout: .now() + Self.patienceToLook) == .timedOut else { return }
        let end = StartClock.current
        withState { state, performers, _ in
            performers.looks[look] = nil
            state.lookTimedOut(look, at: end)
        }
    }

    /// The fingers that are enrolled, as the last `look` has found; nil where nobody can tell.
    var biometrySet: BiometrySet? { state.withLock { $0.biometry?.set } }

    private static let patienceToLook: DispatchTimeInterval = .seconds(4)

    /// Looks where the demand is one that a finger can meet.
    package func look(for demand: PresenceDemand) {
        if demand.alternatives.contains(where: { $0.contains(.biometry) }) { look() }
    }
}
