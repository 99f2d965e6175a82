/// A piece of a manifest's text that is neither blank nor comment.
struct ManifestToken {
    enum Kind: Equatable {
        /// A name, a number, or a keyword.
        case word(String)
        /// A string that stands for itself; nil for one with escapes, interpolation, several lines or a raw form.
        case string(String?)
        /// `#if` and its kind.
        case directive
        case mark(UInt8)
    }

    let kind: Kind
    /// Where it is, in bytes.
    let range: Range<Int>

    func isMark(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return false }
        return kind == .mark(byte)
    }

    func isWord(_ text: String) -> Bool { kind == .word(text) }

    /// All of a text's; nil where a comment or a string does not end.
    static func tokens(of text: [UInt8]) -> [ManifestToken]? {
        var reader = ManifestTokenReader(text)
        var tokens: [ManifestToken] = []
        while true {
            guard reader.skipBlanksAndComments() else { return nil }
            guard !reader.isAtEnd else { return tokens }
            guard let token = reader.next() else { return nil }
            tokens.append(token)
        }
    }
}
