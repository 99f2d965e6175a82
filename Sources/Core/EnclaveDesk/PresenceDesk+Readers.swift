import Dispatch
package import EnclaveInterface
package import KeychainModel
import Synchronization

/// What readers see, such as the reader of fingers.
extension PresenceDesk {
    /// Takes in what is enrolled for a factor, or why that cannot be told. Only a trusted prompter may say so.
    package func take(_ seen: ReaderState, of factor: PresenceFactors) {
        withState { state, _, effects in state.readerChanged(seen, of: factor, &effects) }
    }

    /// Asks a prompter what the reader of a factor sees, and waits for its report, or for some seconds. Before this, or
    /// after nobody has answered, nothing can be read.
    package func refreshReader(of factor: PresenceFactors) {
        let reported = DispatchSemaphore(value: 0)
        let clock = StartClock.current
        let refresh = withState { state, performers, effects in
            let refresh = state.beginRefresh(of: factor, at: clock, &effects)
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

    /// The same of each reader that can help to meet a demand; of all readers where there is no demand.
    package func refreshReaders(for demand: PresenceDemand? = nil) {
        let wanted = demand.map { $0.alternatives.reduce([]) { $0.union($1) } } ?? PresenceFactors.all
        for factor in PresenceFactor.all where !factor.isTyped && wanted.isSuperset(of: factor.factors) {
            refreshReader(of: factor.factors)
        }
    }

    /// The owner's session was unlocked with a finger, just now. Only root may say so.
    package func sessionUnlocked() {
        let clock = StartClock.current
        // What ends it counts from now on, also while the prompter looks.
        state.withLock { $0.sessionUnlocked(at: clock) }
        refreshReader(of: FingerUnlock.factor)
        state.withLock { $0.identifyUnlock(of: clock.now) }
    }

    /// What is enrolled for a factor, as last reported; nil where it is unknown.
    package func enrolledSet(of factor: PresenceFactors) -> EnrolledSet? {
        state.withLock { $0.readers[factor]?.seen?.set }
    }

    private static let patienceWithPrompters: DispatchTimeInterval = .seconds(4)
}
