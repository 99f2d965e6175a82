/// When to try again to remove what transactions have left in SQLite's journal.
struct CleaningAttempts {
    /// How long to wait before the next attempt.
    private(set) var pause = shortest
    /// How many attempts a reader has stood in the way of.
    private var blocked = 0
    /// The number of transactions that had left something.
    private var seen: Int?

    private static let shortest: Duration = .milliseconds(20)
    private static let longestBusy: Duration = .milliseconds(640)
    /// With doubling pauses, about 20 seconds.
    private static let most = 10
    /// From here on as well.
    private static let anew = 5

    /// Doubles the pause after an attempt that a reader stood in the way of.
    ///
    /// - Parameter count: of transactions that have left something so far. Those that came since the attempt before get
    ///   their 20 seconds; the pauses stay long, since each attempt makes writers wait.
    /// - Returns: whether it was the last.
    mutating func areOver(afterBlockedOne count: Int) -> Bool {
        blocked += 1
        if let seen, seen != count { blocked = min(blocked, Self.anew) }
        seen = count
        pause = Self.shortest * (1 << blocked)
        return blocked >= Self.most
    }

    /// Another process is writing, and that is no attempt.
    mutating func noteBusyLock() {
        pause = max(pause, min(pause * 2, Self.longestBusy))
    }
}
