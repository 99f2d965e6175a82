/// A moment as AWS and Kubernetes write it (RFC 3339): `2030-01-02T03:04:05Z`, with a fraction or an offset if there is one.
package struct Timestamp: Sendable, Comparable {
    /// Since 1970-01-01 00:00:00 UTC.
    package let seconds: Int64

    package init(seconds: Int64) {
        self.seconds = seconds
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.seconds < right.seconds }

    /// - Returns: nil for any other form, and for a day or an hour that there is not.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 40, bytes.count >= 20 else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            var number: Int64 = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                number = number * 10 + Int64(byte - 0x30)
            }
            return number
        }
        let separators: [(Int, Unicode.Scalar)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
        guard separators.allSatisfy({ bytes[$0.0] == UInt8(ascii: $0.1) }),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), year > 0, (1...12).contains(month), day > 0,
            day <= Self.days(of: month, in: year), hour < 24, minute < 60, second <= 60
        else { return nil }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(1 + digits.count)
        }
        var offset: Int64 = 0
        if rest.elementsEqual("Z".utf8) {
            offset = 0
        } else {
            let start = rest.startIndex
            guard rest.count == 6, let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
                bytes[start + 3] == UInt8(ascii: ":"), let hours = number(start + 1..<start + 3), hours < 24,
                let minutes = number(start + 4..<start + 6), minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
        }
        let days = Self.days(before: year, month: month) + day - 1
        seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset
    }

    private static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to the first of a month.
    private static func days(before year: Int64, month: Int64) -> Int64 {
        let past = year - 1
        let ofYears = past * 365 + past / 4 - past / 100 + past / 400 - 719_162
        return (1..<month).reduce(ofYears) { $0 + days(of: $1, in: year) }
    }
}
