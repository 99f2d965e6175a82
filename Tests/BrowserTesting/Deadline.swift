/// A moment until which something is waited for.
struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    /// - Parameter seconds: from now on.
    init(within seconds: Double) {
        end = .now + .seconds(seconds)
    }

    var isPast: Bool { .now >= end }

    /// What is left, for poll(2), but no more than this.
    func milliseconds(atMost most: Int32) -> Int32 {
        let left = (end - .now) / .milliseconds(1)
        return left > Double(most) ? most : Int32(max(left.rounded(.up), 0))
    }
}
