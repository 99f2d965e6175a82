import Dispatch
import KeychainModel
import Synchronization

/// Whose programs are being read to find out what they are: so many of a user at a time, in the order in which they
/// came.
///
/// Programs of the system wait for no others of their user: only an administrator makes more of them.
final class ReadingTurns: Sendable {
    struct Key: Hashable {
        let uid: UInt32
        let isOfSystem: Bool
    }

    private struct Line {
        var reading = 0
        var waiting: [Waiter] = []
    }

    private final class Waiter: Sendable {
        let isCalled = DispatchSemaphore(value: 0)
    }

    private let lines = Mutex<[Key: Line]>([:])
    private let most: Int
    private let patience: Duration
    private static let glance: DispatchTimeInterval = .milliseconds(100)

    init(most: Int = 2, patience: Duration = .seconds(10)) {
        self.most = most
        self.patience = patience
    }

    /// - Parameter isWanted: asked again and again; who has lost their place waits no longer.
    /// - Throws: `notAvailable` where it takes too long.
    func enter(_ key: Key, isWanted: () -> Bool) throws(KeychainError) {
        let waiter = lines.withLock { lines -> Waiter? in
            guard lines[key, default: Line()].reading >= most else {
                lines[key, default: Line()].reading += 1
                return nil
            }
            let waiter = Waiter()
            lines[key]?.waiting.append(waiter)
            return waiter
        }
        guard let waiter else { return }
        let deadline = ContinuousClock.now + patience
        while isWanted(), .now < deadline {
            if waiter.isCalled.wait(timeout: .now() + Self.glance) == .success { return }
        }
        let hasLeft = lines.withLock { lines in
            guard let index = lines[key]?.waiting.firstIndex(where: { $0 === waiter }) else { return false }
            lines[key]?.waiting.remove(at: index)
            return true
        }
        // Otherwise it was called in this very moment.
        guard !hasLeft else {
            throw KeychainError(.notAvailable, "too many programs of this user are being identified; try again")
        }
    }

    func leave(_ key: Key) {
        let next = lines.withLock { lines -> Waiter? in
            guard var line = lines[key] else { return nil }
            let next = line.waiting.isEmpty ? nil : line.waiting.removeFirst()
            if next == nil { line.reading -= 1 }
            lines[key] = line.reading == 0 ? nil : line
            return next
        }
        next?.isCalled.signal()
    }
}
