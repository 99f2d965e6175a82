import SwiftASN1

extension ASN1Node {
    /// The instant that a Time is (RFC 5280, section 4.1.2.5), in seconds since 2001-01-01.
    func secondsSinceReferenceDate() throws -> Double {
        switch identifier {
        case .utcTime:
            let time = try UTCTime(derEncoded: self)
            return Self.seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        case .generalizedTime:
            let time = try GeneralizedTime(derEncoded: self)
            return Self.seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        default: throw Malformed()
        }
    }

    /// Counts the days in years that begin in March, so that the leap day comes last.
    private static func seconds(
        _ year: Int,
        _ month: Int,
        _ day: Int,
        _ hours: Int,
        _ minutes: Int,
        _ seconds: Int
    ) -> Double {
        let year = month > 2 ? year : year - 1
        let monthsSinceMarch = (month + 9) % 12
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (monthsSinceMarch * 153 + 2) / 5 + day
        // The same count for 2001-01-01.
        let reference = 730_792
        return Double(((days - reference) * 24 + hours) * 60 + minutes) * 60 + Double(seconds)
    }
}
