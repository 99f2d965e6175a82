import Synchronization

/// How many more tries a search has.
final class TryBudget: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) {
        left = Mutex(count)
    }

    /// Takes as many of the wanted tries as are left.
    func take(_ wanted: Int) -> Int {
        left.withLock { left in
            let taken = min(left, wanted)
            left -= taken
            return taken
        }
    }
}
