import Foundation

/// Lines of text in columns.
public struct Table {
    private var rows: [[String]]

    public init(_ titles: [String]) {
        rows = [titles, titles.map { String(repeating: "-", count: $0.count) }]
    }

    public mutating func append(_ row: [String]) {
        rows.append(row)
    }

    public var isEmpty: Bool { rows.count == 2 }

    /// As Markdown reads it, so that it can be quoted.
    public var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell.padding(toLength: width, withPad: cell.hasPrefix("---") ? "-" : " ", startingAt: 0)
            }
            return "| " + cells.joined(separator: " | ") + " |"
        }.joined(separator: "\n")
    }
}

extension Double {
    public func text(_ digits: Int) -> String {
        isFinite ? String(format: "%.\(digits)f", self) : "-"
    }
}
