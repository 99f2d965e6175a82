import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

/// Items as a table with a line for each.
struct ItemColumns {
    private let rows: [[String]]

    private static let titles = ["CLASS", "GROUP", "SERVICE/SERVER", "ACCOUNT", "CREATED", "MODIFIED"]
    /// The columns that become narrower where the terminal is too narrow for all.
    private static let flexible = [1, 2, 3]
    private static let narrowest = 8
    private static let gap = 2

    init(_ items: [KeychainItem]) {
        rows = items.map { item in
            [
                item.itemClass.shortName, item.group, item.name, item.text(kSecAttrAccount) ?? Self.bytes(item),
                Self.time(item.date(kSecAttrCreationDate)), Self.time(item.date(kSecAttrModificationDate)),
            ].map(TerminalText.escaped)
        }
    }

    /// The table with its titles, a line for each item.
    ///
    /// - Parameter width: the columns of the terminal; nil leaves nothing out.
    /// - Returns: lines as narrow as that, or as narrow as the shortest columns are.
    func text(width: Int?) -> String {
        let lines = [Self.titles] + rows
        let widest = Self.titles.indices.map { column in lines.map { TerminalText.width($0[column]) }.max() ?? 0 }
        let widths = fit(widest, to: width)
        return lines.reduce(into: "") { text, line in
            var joined = zip(line, widths).map { TerminalText.fitted($0, to: $1) }
                .joined(separator: String(repeating: " ", count: Self.gap))
            while joined.last == " " { joined.removeLast() }
            text += joined + "\n"
        }
    }

    /// Takes columns off the widest until the line fits.
    private func fit(_ widths: [Int], to width: Int?) -> [Int] {
        guard let width else { return widths }
        var widths = widths
        var excess = widths.reduce(0, +) + Self.gap * (widths.count - 1) - width
        while excess > 0, let widest = Self.flexible.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.narrowest
        {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private static func bytes(_ item: KeychainItem) -> String {
        item.attributes[kSecAttrAccount as String].map { AttributeText.quoted($0) } ?? ""
    }

    /// The time where the user is, to the minute.
    private static func time(_ date: Date?) -> String {
        guard let date else { return "" }
        let style = Date.VerbatimFormatStyle(
            format: """
                \(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)
                """,
            locale: Locale(identifier: "en_US_POSIX"),
            timeZone: .current,
            calendar: Calendar(identifier: .gregorian)
        )
        return date.formatted(style)
    }
}

extension ItemClass {
    fileprivate var shortName: String {
        switch self {
        case .genericPassword: "generic"
        case .internetPassword: "internet"
        case .certificate: "certificate"
        case .key: "key"
        case .identity: "identity"
        }
    }
}
