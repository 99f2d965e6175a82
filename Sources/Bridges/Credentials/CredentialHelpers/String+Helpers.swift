extension String {
    /// Whether it has a character that ends a line or a C string, or moves a terminal's cursor. No name of a server, a
    /// path or an account needs one, and a helper that repeats one says a line that nobody has stored.
    package var hasControlCharacter: Bool {
        utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// Without blanks and line ends around it.
    var trimmingBlanks: String {
        let isBlank = { (character: Character) in character.isWhitespace }
        let start = self[...].drop(while: isBlank)
        return String(start.reversed().drop(while: isBlank).reversed())
    }

    /// With a question mark for each control character.
    package var escapedControls: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
    }
}
