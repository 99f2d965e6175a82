import Dispatch
import KeychainModel

/// A state that one thread uses at a time. Unlike `Mutex`, it lends the state to bodies that the caller has only lent.
///
/// Unchecked, since the compiler cannot see that the semaphore lets one thread in.
final class Protected<State>: @unchecked Sendable {
    private var state: State
    private let semaphore = DispatchSemaphore(value: 1)

    init(_ state: State) {
        self.state = state
    }

    func withState<Value>(_ body: (inout State) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        semaphore.wait()
        defer { semaphore.signal() }
        return try body(&state)
    }
}
