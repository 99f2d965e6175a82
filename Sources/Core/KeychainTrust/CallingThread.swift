import Synchronization

/// Runs asynchronous work to its end on the thread that asks for it.
///
/// Evaluations are asked for by functions that wait. A thread of our own would not live through a fork; and to block
/// until a thread of the concurrency library is done would wait forever where the caller itself is on the last of them.
enum CallingThread {
    /// - Returns: nil if the work has left the thread and is not done, which work that waits for nothing does not.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value? {
        let executor = DrainedExecutor()
        let outcome = Mutex<Value?>(nil)
        let box = Box(outcome)
        Task(executorPreference: executor) {
            let value = await work()
            box.value.withLock { $0 = value }
        }
        executor.drain()
        return box.value.withLock { $0 }
    }

    /// A lock can be in two places at once only behind a reference.
    private final class Box<Value: Sendable>: Sendable {
        let value: Mutex<Value?>

        init(_ value: consuming sending Mutex<Value?>) {
            self.value = value
        }
    }
}

/// Keeps jobs until a thread runs them.
private final class DrainedExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs jobs, and those that they leave, until there are none.
    func drain() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            // Each job is run once, as it has to be, since it was taken off the list.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
