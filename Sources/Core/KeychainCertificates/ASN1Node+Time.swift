import SwiftASN1

extension ASN1Node {
    /// The instant that a Time is (RFC 5280, section 4.1.2.5), in seconds since 2001-01-01.
    ///
    /// Beyond what the RFC allows, as Apple's systems do: a UTCTime without seconds that ends in `Z`, and either kind with
    /// seconds and the difference from UTC instead of `Z` (ITU-T X.680, sections 46 and 47).
    func secondsSinceReferenceDate() throws -> Double {
        guard case .primitive(let bytes) = content else { throw Malformed() }
        var text = TimeText(bytes)
        switch identifier {
        case .utcTime:
            let year = try text.number()
            let (day, minutes) = try (text.day(inYear: year < 50 ? 2000 + year : 1900 + year), text.minutes())
            let seconds = try text.isAtUTC ? 0 : text.seconds()
            return Self.seconds(day, minutes, seconds, try text.zone())
        case .generalizedTime:
            let year = try text.number() * 100 + text.number()
            let (day, minutes, seconds) = try (text.day(inYear: year), text.minutes(), text.seconds())
            try text.skipFraction()
            return Self.seconds(day, minutes, seconds, try text.zone())
        default: throw Malformed()
        }
    }

    private static func seconds(_ day: Int, _ minutes: Int, _ seconds: Int, _ zone: Int) -> Double {
        Double((day * 1440 + minutes - zone) * 60 + seconds)
    }
}

/// What is left to read of a Time.
private struct TimeText {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Two digits.
    mutating func number() throws -> Int {
        guard let first = rest.popFirst()?.digit, let second = rest.popFirst()?.digit else { throw Malformed() }
        return first * 10 + second
    }

    private mutating func number(in range: ClosedRange<Int>) throws -> Int {
        let value = try number()
        guard range.contains(value) else { throw Malformed() }
        return value
    }

    /// Month and day, as days since 2001-01-01. Years begin in March here, so that the leap day comes last.
    mutating func day(inYear year: Int) throws -> Int {
        let month = try number(in: 1...12)
        let day = try number(in: 1...Self.days(inMonth: month, ofYear: year))
        let year = month > 2 ? year : year - 1
        let monthsSinceMarch = (month + 9) % 12
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (monthsSinceMarch * 153 + 2) / 5 + day
        // The same count for 2001-01-01.
        return days - 730_792
    }

    private static func days(inMonth month: Int, ofYear year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Hours and minutes, as minutes.
    mutating func minutes() throws -> Int { try number(in: 0...23) * 60 + number(in: 0...59) }

    /// Leap seconds count.
    mutating func seconds() throws -> Int { try number(in: 0...61) }

    /// Fractions of a second count for nothing; the last digit is not 0 (ITU-T X.690, section 11.7.3).
    mutating func skipFraction() throws {
        guard rest.first == UInt8(ascii: ".") else { return }
        let digits = rest.dropFirst().prefix { $0.digit != nil }
        guard let last = digits.last, last != UInt8(ascii: "0") else { throw Malformed() }
        rest = rest[digits.endIndex...]
    }

    var isAtUTC: Bool { rest.first == UInt8(ascii: "Z") }

    /// How many minutes the time is ahead of UTC; the end of the text.
    mutating func zone() throws -> Int {
        let minutes =
            switch rest.popFirst() {
            case UInt8(ascii: "Z"): 0
            case UInt8(ascii: "+"): try self.minutes()
            case UInt8(ascii: "-"): try -self.minutes()
            default: throw Malformed()
            }
        guard rest.isEmpty else { throw Malformed() }
        return minutes
    }
}

extension UInt8 {
    /// The value of a decimal digit; nil for all else.
    fileprivate var digit: Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? Int(self - UInt8(ascii: "0")) : nil
    }
}
