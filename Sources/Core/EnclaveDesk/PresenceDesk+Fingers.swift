import Dispatch
package import EnclaveInterface
package import KeychainModel
import Synchronization

/// The biometry state.
extension PresenceDesk {
    /// Takes in which fingers are enrolled, or why that cannot be told. Only a trusted prompter may say so.
    package func take(_ biometry: BiometryState) {
        withState { state, _, effects in state.biometryChanged(biometry, &effects) }
    }

    /// Asks a prompter which fingers are enrolled, and waits for its report, or for some seconds. Before this, or after
    /// nobody has answered, no finger can be read.
    package func refreshBiometry() {
        let reported = DispatchSemaphore(value: 0)
        let clock = StartClock.current
        let refresh = withState { state, performers, effects in
            let refresh = state.beginRefresh(at: clock, &effects)
            if let refresh { performers.refreshes[refresh] = reported }
            return refresh
        }
        guard let refresh, reported.wait(timeout: .now() + Self.patienceWithPrompters) == .timedOut else { return }
        let end = StartClock.current
        withState { state, performers, _ in
            performers.refreshes[refresh] = nil
            state.refreshTimedOut(refresh, at: end)
        }
    }

    /// The owner's session was unlocked with a finger, just now. Only root may say so.
    package func sessionUnlocked() {
        let clock = StartClock.current
        // What ends it counts from now on, also while the prompter looks.
        state.withLock { $0.sessionUnlocked(at: clock) }
        refreshBiometry()
        state.withLock { $0.identifyUnlock(of: clock.now) }
    }

    /// The enrolled fingers, as last reported; nil where they are unknown.
    package var biometrySet: BiometrySet? { state.withLock { $0.biometry?.set } }

    private static let patienceWithPrompters: DispatchTimeInterval = .seconds(4)

    /// The same where the demand is one that a finger can meet.
    package func refreshBiometry(for demand: PresenceDemand) {
        if demand.alternatives.contains(where: { $0.contains(.biometry) }) { refreshBiometry() }
    }
}
