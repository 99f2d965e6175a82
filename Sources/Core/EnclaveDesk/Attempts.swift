/// Wrong answers in a row, and how long one has to wait for them.
package struct Attempts: Sendable {
    package let count: UInt32
    /// When the waiting began, on a clock that cannot be set back.
    package let armed: UInt64
    /// Whether the waiting has begun just now, and that is not written down yet.
    package let isRearmed: Bool

    package static let none = Attempts(count: 0, armed: 0)

    package init(count: UInt32, armed: UInt64, isRearmed: Bool = false) {
        self.count = count
        self.armed = armed
        self.isRearmed = isRearmed
    }

    /// The seconds that are left to wait; 0 for none.
    ///
    /// - Parameter hardware: the seconds in which it forgives a wrong passcode; nil where none limits guesses.
    package func remaining(at clock: StartClock, hardware: UInt64?) -> UInt64 {
        let delay = Self.delay(after: count, hardware: hardware)
        let waited = (clock.now - min(armed, clock.now)) / 1_000_000_000
        return delay - min(delay, waited)
    }

    /// The seconds to wait after so many wrong passcodes in a row.
    ///
    /// Hardware that limits guesses locks itself for all its users after a few, and forgives one in ten minutes to two
    /// hours, mostly. Ours are soon no faster than that, so that its count does not grow by them.
    package static func delay(after count: UInt32, hardware: UInt64?) -> UInt64 {
        if let hardware {
            return switch count {
            case 0, 1: 0
            case 2: min(60, hardware)
            case 3: min(1_200, hardware)
            default: hardware
            }
        }
        return switch count {
        case 0...3: 0
        case 4: 5
        case 5: 30
        case 6: 60
        case 7: 300
        case 8: 900
        default: 3_600
        }
    }
}
