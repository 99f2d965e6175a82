import CoreMetrics
import Synchronization

/// What the service has counted: of all users together, for root, and of each, for that user.
final class UserMetrics: Sendable {
    /// One user's. What is counted here counts for all as well.
    final class User: Sendable {
        let metrics: ServiceMetrics
        private let own = MemoryMetrics()

        /// The counts by their names.
        var values: [String: Double] { own.values }

        init(beside all: MemoryMetrics) {
            metrics = ServiceMetrics(factory: MultiplexMetricsHandler(factories: [all, own]))
        }
    }

    private struct State {
        var users: [UInt32: (user: User, lastUse: UInt64)] = [:]
        var uses: UInt64 = 0
    }

    /// The counts of every user, known to the service or not.
    let all: ServiceMetrics
    private let total: MemoryMetrics
    private let state = Mutex(State())
    private let most: Int

    /// - Parameter most: users. Beyond these, the counts of the user who was away for longest are dropped.
    init(_ total: MemoryMetrics, most: Int = 1_024) {
        self.total = total
        self.most = most
        all = ServiceMetrics(factory: total)
    }

    var values: [String: Double] { total.values }

    func user(_ uid: UInt32) -> User {
        state.withLock { state in
            if state.users[uid] == nil, state.users.count >= most,
                let oldest = state.users.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.users[oldest.key] = nil
            }
            let user = state.users[uid]?.user ?? User(beside: total)
            state.uses += 1
            state.users[uid] = (user, state.uses)
            return user
        }
    }
}
