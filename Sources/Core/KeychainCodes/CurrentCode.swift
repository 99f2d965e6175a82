/// The code of one moment, and how long it lasts.
///
/// It prints without its digits.
package struct CurrentCode: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// Leading zeros included.
    package let digits: String
    /// From the period down to 1: a part of a second counts as a whole one.
    package let secondsLeft: Int
    package let period: Int

    /// The digits in two groups, for people: `492 018`, `492 0185`, `4920 1857`.
    package var grouped: String {
        let first = digits.count / 2
        return "\(digits.prefix(first)) \(digits.dropFirst(first))"
    }

    package var description: String { "[REDACTED]" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension OneTimeCode {
    /// The code at a time in seconds since 1970.
    ///
    /// A time before 1970, and one that is not a number, count as 1970. Beyond 2^53 seconds, where a `Double` no longer
    /// tells seconds apart, time stands still.
    package func code(at seconds: Double) -> CurrentCode {
        let time = Self.wholeSeconds(seconds)
        let period = UInt64(period)
        return CurrentCode(
            digits: CounterCode.digits(secret, algorithm, counter: time / period, count: digits),
            secondsLeft: Int(period - time % period),
            period: self.period
        )
    }

    private static func wholeSeconds(_ seconds: Double) -> UInt64 {
        // A comparison with what is not a number is false.
        seconds > 0 ? UInt64(min(seconds, 0x1p53)) : 0
    }
}
