/// Milliseconds of a clock that never goes back.
enum Clock {
    private static let start = ContinuousClock.now

    static var now: UInt64 {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return UInt64(clamping: seconds) &* 1_000 &+ UInt64(clamping: attoseconds / 1_000_000_000_000_000)
    }

    /// When a time of it has come.
    static func instant(_ time: UInt64) -> ContinuousClock.Instant { start + .milliseconds(Int64(clamping: time)) }
}
