import Glibc

/// Text of other people that is going to a terminal.
///
/// A program that adds an item chooses its attributes. Printed as they are, they could move the cursor, change colours,
/// answer for the terminal, forge lines, or turn the order of the letters around.
package enum TerminalText {
    /// The text on one line, with everything that a terminal would obey made visible: `\n`, `\e`, `\u{202e}`.
    package static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += isSafe($1) ? String($1) : escape($1) }
    }

    /// The same for text of several lines of our own, in which foreign text may be quoted.
    package static func escapedLines(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += isSafe($1) || $1 == "\n" ? String($1) : escape($1) }
    }

    /// How many columns text takes that has been made safe.
    package static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }

    /// The text with blanks behind it, or with its end left out, so that it takes so many columns.
    package static func fitted(_ text: String, to width: Int) -> String {
        let excess = Self.width(text) - width
        guard excess > 0 else { return text + String(repeating: " ", count: -excess) }
        var kept = ""
        var used = 0
        for character in text {
            let columns = Self.width(String(character))
            guard used + columns <= width - 1 else { break }
            kept.append(character)
            used += columns
        }
        return kept + "…" + String(repeating: " ", count: max(0, width - used - 1))
    }

    /// Control characters, invisible formatting (which turns text around), and what is no character.
    package static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        if isBlank(scalar) { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }

    /// Letters and signs that nobody sees. Those that choose between two forms of the character before stay.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xFE0E, 0xFE0F: false
        // A letter of Braille without a dot.
        case 0x2800: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\u{1b}": "\\e"
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        // East Asian wide and full-width characters, and emoji (Unicode Standard Annex 11).
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
            0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }
}
