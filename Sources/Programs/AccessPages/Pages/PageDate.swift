import Foundation

/// A time as people read it, where they are.
enum PageDate {
    private static let calendar = Calendar(identifier: .gregorian)

    private static let style = Date.VerbatimFormatStyle(
        format: """
            \(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits) \
            \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)
            """,
        locale: Locale(identifier: "en_US_POSIX"),
        timeZone: .current,
        calendar: calendar
    )

    /// - Parameter seconds: since 2001.
    static func text(_ seconds: Double) -> String { Date(timeIntervalSinceReferenceDate: seconds).formatted(style) }

    /// The same, shorter for today and yesterday.
    static func near(_ seconds: Double) -> String {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let time = String(text(seconds).suffix(5))
        if calendar.isDateInToday(date) { return "Today \(time)" }
        return calendar.isDateInYesterday(date) ? "Yesterday \(time)" : text(seconds)
    }

    /// For the page's own reading (`datetime`).
    static func machine(_ seconds: Double) -> String {
        Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
    }

    /// A number with commas between thousands.
    static func number(_ number: Int) -> String {
        number.formatted(.number.locale(Locale(identifier: "en_US")).grouping(.automatic))
    }
}
