/// How long a client of the keychain service waits before it fails. No call hangs.
package struct Deadlines: Sendable {
    /// For the connection and the whole handshake. The service reads a program whole before it answers it for the first time:
    /// a large one on a slow machine takes it some seconds.
    package var handshake = Duration.seconds(20)
    /// For a request and the first part of its response, and for each further part: a list may be long. For all parts
    /// together, twenty times as much.
    package var request = Duration.seconds(30)
    /// For each part of a backup, and for a restoration: a keychain may be large.
    package var backup = Duration.seconds(600)
    /// For a service that has answered this process before, and is away: it may just start anew.
    package var restart = Duration.seconds(2)

    package init() {}
}

/// A moment by which something has to be done, on a clock that stands still while the machine sleeps.
struct Deadline: Sendable {
    let end: SuspendingClock.Instant
    private let duration: Duration

    init(_ duration: Duration) {
        self.duration = duration
        end = SuspendingClock.now + duration
    }

    private init(_ duration: Duration, end: SuspendingClock.Instant) {
        self.duration = duration
        self.end = end
    }

    /// As much time again, from now on, but no more than to another end.
    func renewed(notBeyond last: Deadline) -> Deadline {
        Deadline(duration, end: min(SuspendingClock.now + duration, last.end))
    }

    /// So many times as much time, from now on.
    func times(_ factor: Int) -> Deadline { Deadline(duration * factor) }

    var hasPassed: Bool { SuspendingClock.now >= end }
}
