import Dispatch
import KeychainModel
import Synchronization

/// Lets writes that wait at the same time share one transaction, and so one wait for the disk.
///
/// The first to come leads: it waits for the writer's lock, and with the lock takes along all who have come meanwhile.
/// Writers that come later wait, and one of them leads the next round.
final class GroupCommit: Sendable {
    private struct State {
        var waiting: [WaitingWrite] = []
        var hasLeader = false
    }

    private let state = Mutex(State())

    /// No other process waits longer for the lock than for so many writes.
    private static let mostAtOnce = 256

    /// The number of writes that wait for a transaction.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits until a write is done, by this thread or by another.
    ///
    /// - Parameter lead: called, on one thread at a time, to do what waits: it gets the lock, calls `take` and settles
    ///   all that it was given.
    /// - Throws: what the write itself throws; what `lead` throws where this thread leads and has no lock.
    func run(
        _ write: WaitingWrite,
        lead: () throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let leads = state.withLock { state in
            state.waiting.append(write)
            defer { state.hasLeader = true }
            return !state.hasLeader
        }
        defer { write.end() }
        if leads || write.wait() == .lead {
            defer { handOver() }
            do throws(KeychainError) {
                try lead()
            } catch {
                // Without the lock nothing was taken, this write included; the others have deadlines of their own.
                state.withLock { $0.waiting.removeAll { $0 === write } }
                throw error
            }
        }
        try write.result()
    }

    /// What is to be done now, in the order of coming.
    func take() -> [WaitingWrite] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(Self.mostAtOnce))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    private func handOver() {
        let next = state.withLock { state in
            state.hasLeader = !state.waiting.isEmpty
            return state.waiting.first
        }
        next?.promote()
    }
}

/// One caller's write. Its body runs on the thread that leads, while the caller's own thread waits for it.
///
/// Unchecked, since the compiler cannot see that: the two threads never touch the body or the outcome at the same time,
/// and the semaphore orders them.
final class WaitingWrite: @unchecked Sendable {
    enum Turn {
        case lead
        case done
    }

    let deadline: ContinuousClock.Instant
    /// Nil once it is over: the caller has only lent it, and another thread may hold this object for a moment longer.
    private var body: ((WriteTransaction) throws(KeychainError) -> Void)?
    private var outcome: Result<Void, KeychainError>?
    private let turn = DispatchSemaphore(value: 0)

    init(deadline: ContinuousClock.Instant, body: @escaping (WriteTransaction) throws(KeychainError) -> Void) {
        self.deadline = deadline
        self.body = body
    }

    /// Does it. It may be called again, if the transaction was given up.
    func perform(in transaction: WriteTransaction) throws(KeychainError) {
        guard let body else { throw KeychainError(.internalError, "a write is done after its end") }
        try body(transaction)
    }

    func settle(_ outcome: Result<Void, KeychainError>) {
        self.outcome = outcome
    }

    /// After the transaction has ended: wakes the caller's thread.
    func finish() {
        body = nil
        turn.signal()
    }

    fileprivate func promote() {
        turn.signal()
    }

    fileprivate func wait() -> Turn {
        turn.wait()
        return outcome == nil ? .lead : .done
    }

    /// Gives the lent body back, which is not used any more.
    fileprivate func end() {
        body = nil
    }

    fileprivate func result() throws(KeychainError) {
        guard let outcome else { throw KeychainError(.internalError, "a write was never done") }
        try outcome.get()
    }
}
