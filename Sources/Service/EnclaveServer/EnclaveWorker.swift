import KeychainModel
import KeychainSystem
import Synchronization

/// A thread that does one thing at a time of what would keep the others waiting: whose turn it is goes round by user.
///
/// Root comes first. Where the queue is full, the user with most requests in it loses the last one to a user with
/// fewer.
final class EnclaveWorker: Sendable {
    struct Job: Sendable {
        /// Whose turn it takes.
        let uid: UInt32
        /// Called instead of `run` where it loses its place.
        let refuse: @Sendable () -> Void
        let run: @Sendable () -> Void

        init(uid: UInt32, refuse: @escaping @Sendable () -> Void = {}, run: @escaping @Sendable () -> Void) {
            self.uid = uid
            self.refuse = refuse
            self.run = run
        }
    }

    private struct State {
        var jobs: [Job] = []
        /// When a user's last job was begun, as a count of jobs.
        var turns: [UInt32: Int] = [:]
        var count = 0
    }

    private let state = Mutex(State())
    private let wake: WakeUp
    private let most: Int
    private let mostOfUser: Int

    /// Starts the thread, which lives as long as the process, and returns when it has done something: what a thread's
    /// beginning asks of the kernel is refused once system calls are filtered, and the C library ends the process then.
    init(most: Int, mostOfUser: Int) throws(KeychainError) {
        self.most = most
        self.mostOfUser = mostOfUser
        wake = try KeychainError.translating { try WakeUp() }
        try KeychainError.translating { try DetachedThread.start { [self] in run() } }
        let hasBegun = try KeychainError.translating { try WakeUp() }
        try add(Job(uid: 0) { hasBegun.signal() })
        _ = hasBegun.wait()
    }

    /// - Throws: `notAvailable` where too many wait.
    func add(_ job: Job) throws(KeychainError) {
        let (hasRoom, loser) = state.withLock { state -> (Bool, Job?) in
            var counts: [UInt32: Int] = [:]
            for job in state.jobs { counts[job.uid, default: 0] += 1 }
            let own = counts[job.uid] ?? 0
            guard own < mostOfUser else { return (false, nil) }
            var loser: Job?
            // Root's are beside the others'.
            if job.uid != 0, state.jobs.count - (counts[0] ?? 0) >= most {
                counts[0] = nil
                guard let biggest = counts.max(by: { $0.value < $1.value }), biggest.value > own,
                    let last = state.jobs.lastIndex(where: { $0.uid == biggest.key })
                else { return (false, nil) }
                loser = state.jobs.remove(at: last)
            }
            state.jobs.append(job)
            return (true, loser)
        }
        loser?.refuse()
        guard hasRoom else { throw Self.isBusy }
        wake.signal()
    }

    static let isBusy = KeychainError(.notAvailable, "the enclave has too much to do; try again")

    private func run() {
        while true {
            while let job = next() { job.run() }
            _ = wake.wait()
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            let roots = state.jobs.firstIndex { $0.uid == 0 }
            let first =
                roots
                ?? state.jobs.indices.min { left, right in
                    state.turns[state.jobs[left].uid] ?? 0 < state.turns[state.jobs[right].uid] ?? 0
                }
            guard let first else {
                state.turns = [:]
                state.count = 0
                return nil
            }
            let job = state.jobs.remove(at: first)
            state.count += 1
            state.turns[job.uid] = state.count
            return job
        }
    }
}
