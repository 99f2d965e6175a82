/// Counts unwrapped keys, so that the log shows when a whole keychain is unwrapped.
struct UnwrapWatch {
    static let unusual = 100_000
    private static let time: Duration = .seconds(60)

    private var counts: [UInt32: Int] = [:]
    private var start = ContinuousClock.now

    /// - Returns: true once in a minute, when it becomes so many.
    mutating func isUnusual(_ count: Int, of uid: UInt32) -> Bool {
        let now = ContinuousClock.now
        if now - start > Self.time {
            start = now
            counts = [:]
        }
        let before = counts[uid, default: 0]
        counts[uid] = before + count
        return before < Self.unusual && before + count >= Self.unusual
    }
}
