import Dispatch
package import KeychainModel
import Synchronization

/// What is seen of fingers.
extension PresenceDesk {
    /// Takes in what can be seen of the owner's fingers. Only a trusted prompter may say so.
    package func saw(_ sight: BiometrySight) {
        state.withLock { state in
            state.sight = sight
            state.silence = nil
            for looker in state.lookers { looker.signal() }
            state.lookers = []
        }
    }

    /// Has somebody look at the owner's fingers, and waits until they have, or for some seconds. Before this, or after
    /// nobody has answered, no finger can be read.
    package func look() {
        let seen = DispatchSemaphore(value: 0)
        let isAsked = withState { state, consequences in
            guard let attendant = state.prompters.last(where: { $0.abilities.contains(.biometry) }) else {
                return false
            }
            // Not every question waits for one who is silent.
            if let silence = state.silence, .now - silence < Self.pauseAfterSilence { return false }
            state.lookers.append(seen)
            consequences.append { attendant.prompter.look() }
            return true
        }
        guard isAsked, seen.wait(timeout: .now() + Self.patienceToLook) == .timedOut else { return }
        state.withLock { state in
            state.lookers.removeAll { $0 === seen }
            state.sight = nil
            state.silence = .now
        }
    }

    /// The fingers that are enrolled, as the last `look` has found; nil where nobody can tell.
    var biometrySet: BiometrySet? { state.withLock { $0.sight?.set } }

    private static let patienceToLook: DispatchTimeInterval = .seconds(4)
    private static let pauseAfterSilence: Duration = .seconds(5)

    /// Looks where the demand is one that a finger can meet.
    package func look(for demand: PresenceDemand) {
        if demand.alternatives.contains(where: { $0.contains(.biometry) }) { look() }
    }
}
