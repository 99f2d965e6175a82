import PasskeyProtocol
import Terminal

/// Passkeys for people, a line each: number, place, site, account.
enum PasskeyTable {
    /// How much of a number is shown.
    private static let digits = 12

    /// In the order in which they are shown.
    static func sorted(_ passkeys: [Passkey]) -> [Passkey] {
        passkeys.sorted { ($0.site.id, $0.user.name, $0.number) < ($1.site.id, $1.user.name, $1.number) }
    }

    static func lines(of passkeys: [Passkey]) -> [String] {
        let rows = sorted(passkeys).map { passkey in
            [String(passkey.number.prefix(digits)), passkey.place]
                + [passkey.site.id, passkey.user.name].map { TerminalText.escaped($0) }
        }
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = (padded + [row[3]]).joined(separator: "  ")
            return row[3].isEmpty ? String(line.dropLast(2)) : line
        }
    }
}
