import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

/// Items as a table with a line for each.
struct ItemColumns {
    private let columns: [ItemColumn]
    private let rows: [[String]]

    private static let narrowest = 8
    private static let gap = 2

    init(_ items: [KeychainItem], _ columns: [ItemColumn] = ItemColumn.usual) {
        self.columns = columns
        rows = items.map { item in columns.map { TerminalText.escaped($0.text(of: item)) } }
    }

    /// The table with its titles, a line for each item.
    ///
    /// - Parameters:
    ///   - width: the columns of the terminal; nil leaves nothing out.
    ///   - hasStyles: whether the titles are bold.
    /// - Returns: lines as narrow as that, or as narrow as the shortest columns are.
    func text(width: Int?, hasStyles: Bool = false) -> String {
        let titles = columns.map(\.title)
        let widest = titles.indices.map { column in
            ([titles] + rows).map { TerminalText.width($0[column]) }.max() ?? 0
        }
        let widths = fit(widest, to: width)
        let head = Self.line(titles, widths)
        return (hasStyles ? "\u{1B}[1m\(head)\u{1B}[0m" : head) + "\n"
            + rows.map { Self.line($0, widths) + "\n" }.joined()
    }

    private static func line(_ fields: [String], _ widths: [Int]) -> String {
        var joined = zip(fields, widths).map { TerminalText.fitted($0, to: $1) }
            .joined(separator: String(repeating: " ", count: gap))
        while joined.last == " " { joined.removeLast() }
        return joined
    }

    /// Takes columns off the widest until the line fits.
    private func fit(_ widths: [Int], to width: Int?) -> [Int] {
        guard let width else { return widths }
        var widths = widths
        var excess = widths.reduce(0, +) + Self.gap * (widths.count - 1) - width
        let flexible = columns.indices.filter { columns[$0].isFlexible }
        while excess > 0, let widest = flexible.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.narrowest
        {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}

/// A column of the table of items.
enum ItemColumn: String, CaseIterable {
    case `class`
    case group
    case label
    case service
    case account
    case protection
    case synchronized
    case created
    case modified

    static let usual: [ItemColumn] = [.class, .group, .service, .account, .created, .modified]

    var title: String { self == .service ? "SERVICE/SERVER" : rawValue.uppercased() }

    /// Whether it becomes narrower where the terminal is too narrow for all.
    var isFlexible: Bool { [.group, .label, .service, .account].contains(self) }

    func text(of item: KeychainItem) -> String {
        switch self {
        case .class: item.itemClass.shortName
        case .group: item.group
        case .label: item.text(kSecAttrLabel) ?? ""
        case .service: item.name
        case .account: item.text(kSecAttrAccount) ?? Self.bytes(item)
        case .protection: item.text(kSecAttrAccessible).flatMap(Accessibility.init)?.name ?? ""
        case .synchronized: item.text(kSecAttrSynchronizable) == "1" ? "yes" : "no"
        case .created: Self.time(item.date(kSecAttrCreationDate))
        case .modified: Self.time(item.date(kSecAttrModificationDate))
        }
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
