import KeychainModel
import Synchronization

/// A thread that does one thing at a time of what would keep the others waiting: whose turn it is goes round by user.
final class EnclaveWorker: Sendable {
    struct Job: Sendable {
        let uid: UInt32
        let run: @Sendable () -> Void
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
        wake = try WakeUp()
        try DetachedThread.start { [self] in run() }
        let hasBegun = try WakeUp()
        try add(Job(uid: 0) { hasBegun.signal() })
        _ = hasBegun.wait()
    }

    /// - Throws: `notAvailable` where too many wait.
    func add(_ job: Job) throws(KeychainError) {
        let hasRoom = state.withLock { state in
            guard state.jobs.count < most, state.jobs.count(where: { $0.uid == job.uid }) < mostOfUser else {
                return false
            }
            state.jobs.append(job)
            return true
        }
        guard hasRoom else {
            throw KeychainError(.notAvailable, "the enclave has too much to do; try again")
        }
        wake.signal()
    }

    private func run() {
        while true {
            while let job = next() { job.run() }
            _ = wake.wait()
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            let first = state.jobs.indices.min { left, right in
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
