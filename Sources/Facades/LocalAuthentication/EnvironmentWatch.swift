import Dispatch
import Foundation
import Synchronization

/// Looks at what people can be told by, again and again while somebody observes it, and tells of changes.
final class EnvironmentWatch: Sendable {
    typealias Told = @Sendable (PresenceSnapshot) -> Void

    private struct Observation {
        let observer: WeakObserver
        let tell: Told
    }

    private struct Contents {
        var observations: [ObjectIdentifier: Observation] = [:]
        /// What observers know.
        var known: PresenceSnapshot?
        var timer: (any DispatchSourceTimer)?
    }

    // One look after the other, and one change told of after the other.
    private let queue = DispatchQueue(label: "LocalAuthentication.environment")
    private let contents = Mutex(Contents())
    private let period: Duration
    private let look: @Sendable () -> PresenceSnapshot

    init(period: Duration, look: @escaping @Sendable () -> PresenceSnapshot) {
        self.period = period
        self.look = look
    }

    deinit {
        contents.withLock { $0.timer?.cancel() }
    }

    func add(_ observer: WeakObserver, _ tell: @escaping Told) {
        // Changes count from this call on, so the first look is not the timer's.
        let snapshot = contents.withLock { $0.known == nil } ? look() : nil
        contents.withLock { contents in
            if contents.known == nil { contents.known = snapshot }
            contents.observations[observer.identity] = Observation(observer: observer, tell: tell)
            if contents.timer == nil { contents.timer = makeTimer() }
        }
    }

    func remove(_ observer: WeakObserver) {
        contents.withLock { contents in
            contents.observations[observer.identity] = nil
            Self.stopWhereNobodyObserves(&contents)
        }
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let (seconds, attoseconds) = period.components
        let interval = DispatchTimeInterval.milliseconds(
            Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        )
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { [weak self] in self?.lookAgain() }
        timer.activate()
        return timer
    }

    private func lookAgain() {
        let isObserved = contents.withLock { contents in
            contents.observations = contents.observations.filter { $0.value.observer.observer != nil }
            Self.stopWhereNobodyObserves(&contents)
            return contents.timer != nil
        }
        guard isObserved else { return }
        let new = look()
        let (old, told) = contents.withLock { contents -> (PresenceSnapshot?, [Told]) in
            guard let old = contents.known, old != new, contents.timer != nil else { return (nil, []) }
            contents.known = new
            return (old, contents.observations.values.map(\.tell))
        }
        guard let old else { return }
        for tell in told { tell(old) }
    }

    private static func stopWhereNobodyObserves(_ contents: inout Contents) {
        guard contents.observations.isEmpty else { return }
        contents.timer?.cancel()
        contents.timer = nil
        contents.known = nil
    }
}

/// An observer, as long as others keep it.
///
/// `@unchecked`: observers are called from a queue of this module's own, as with Apple, and are written for that.
final class WeakObserver: @unchecked Sendable {
    private(set) weak var observer: (any LAEnvironment.Observer)?
    let identity: ObjectIdentifier

    init(_ observer: any LAEnvironment.Observer) {
        self.observer = observer
        identity = ObjectIdentifier(observer)
    }
}
