import Dispatch
import Glibc
import Synchronization

/// Makes the parts of a result on whichever core is free, while the caller goes on preparing more of them.
///
/// The caller waits for no thread that has not begun: on a busy machine it does the work itself. The threads are its own,
/// since the child of a fork has none of its parent's, and no dispatch queues that work.
package final class PartedWork<Input: Sendable, Output: Sendable>: Sendable {
    private struct State {
        var waiting: [(number: Int, input: Input)] = []
        var submitted = 0
        var outputs: [Int: Output] = [:]
        var threads = 0
        var isComplete = false
    }

    private let body: @Sendable (Input) -> Output
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)
    private let progress = DispatchSemaphore(value: 0)

    /// With more parts waiting than that, the caller makes one: what waits takes memory.
    private static var mostWaiting: Int { 8 }
    private static var mostThreads: Int { min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 4) - 1 }

    package init(_ body: @escaping @Sendable (Input) -> Output) {
        self.body = body
    }

    /// Hands over a part of the work. It pays for parts that take a good part of a millisecond.
    package func submit(_ input: Input) {
        let (startsThread, isFull) = state.withLock { state in
            state.waiting.append((state.submitted, input))
            state.submitted += 1
            // A single part is the caller's.
            let startsThread = state.submitted > 1 && state.threads < Self.mostThreads
            if startsThread { state.threads += 1 }
            return (startsThread, state.waiting.count > Self.mostWaiting)
        }
        if startsThread { start() }
        work.signal()
        if isFull { _ = makeOne() }
    }

    /// All parts, in the order in which they were handed over.
    package func finish() -> [Output] {
        let threads = state.withLock { state in
            state.isComplete = true
            return state.threads
        }
        for _ in 0..<threads { work.signal() }
        while makeOne() {}
        while true {
            let outputs = state.withLock { $0.outputs.count == $0.submitted ? $0.outputs : nil }
            if let outputs { return (0..<outputs.count).compactMap { outputs[$0] } }
            progress.wait()
        }
    }

    /// - Returns: false if nothing was waiting.
    private func makeOne() -> Bool {
        guard let (number, input) = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else {
            return false
        }
        let output = body(input)
        state.withLock { $0.outputs[number] = output }
        return true
    }

    // MARK: - Threads

    private func start() {
        let task = unsafe Unmanaged.passRetained(Task { self.help() })
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread,
            nil,
            { task in
                if let task = unsafe task { unsafe Unmanaged<Task>.fromOpaque(task).takeRetainedValue().run() }
                return nil
            },
            task.toOpaque()
        )
        if result == 0 {
            pthread_detach(thread)
        } else {
            // The others do it all.
            unsafe task.release()
        }
    }

    private func help() {
        while true {
            work.wait()
            if makeOne() {
                progress.signal()
            } else if state.withLock({ $0.isComplete }) {
                return
            }
        }
    }
}

/// What a thread runs: C knows no generic types.
private final class Task: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}
