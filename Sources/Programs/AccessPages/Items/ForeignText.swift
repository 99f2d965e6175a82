import Terminal

/// Text that programs have chosen, on its way into a page: characters that turn the text around or cannot be seen are made
/// visible, and what is too long for its place is cut.
package enum ForeignText {
    /// For a line of a table, or of a list.
    package static let ofLine = 120
    /// For the page of one item.
    package static let ofValue = 4_000

    package static func shown(_ text: String, most: Int = ofLine) -> String {
        let cut = text.unicodeScalars.prefix(most)
        let isWhole = cut.endIndex == text.unicodeScalars.endIndex
        return TerminalText.escaped(String(String.UnicodeScalarView(cut))) + (isWhole ? "" : "…")
    }

    /// The same with its lines.
    package static func lines(_ text: String) -> String {
        let cut = text.unicodeScalars.prefix(ofValue)
        let isWhole = cut.endIndex == text.unicodeScalars.endIndex
        return TerminalText.escapedLines(String(String.UnicodeScalarView(cut))) + (isWhole ? "" : "…")
    }
}
