import Synchronization

/// What the service has counted: of all users together, for root, and of each, for that user.
final class UserCounters: Sendable {
    private struct State {
        var users: [UInt32: (counter: ServiceCounter, lastUse: UInt64)] = [:]
        var uses: UInt64 = 0
    }

    /// Of every user, known to the service or not.
    let all: ServiceCounter
    private let state = Mutex(State())
    private let most: Int

    /// - Parameter most: users. Beyond these, the counts of the user who was away for longest are dropped.
    init(_ all: ServiceCounter, most: Int = 1_024) {
        self.all = all
        self.most = most
    }

    func user(_ uid: UInt32) -> ServiceCounter {
        state.withLock { state in
            if state.users[uid] == nil, state.users.count >= most,
                let oldest = state.users.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.users[oldest.key] = nil
            }
            let counter = state.users[uid]?.counter ?? ServiceCounter(beside: all)
            state.uses += 1
            state.users[uid] = (counter, state.uses)
            return counter
        }
    }
}
