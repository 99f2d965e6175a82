/// Goes through the text of a manifest, a token at a time.
struct ManifestTokenReader {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { position >= text.count }

    private func byte(_ offset: Int = 0) -> UInt8? {
        let index = position + offset
        return index < text.count ? text[index] : nil
    }

    private func starts(_ prefix: StaticString) -> Bool {
        text[position...].starts(with: prefix.description.utf8)
    }

    /// - Returns: false where a comment does not end.
    mutating func skipBlanksAndComments() -> Bool {
        while let byte = byte() {
            if byte == UInt8(ascii: " ") || (9...13).contains(byte) {
                position += 1
            } else if starts("//") {
                while let byte = self.byte(), byte != UInt8(ascii: "\n") { position += 1 }
            } else if starts("/*") {
                // They nest.
                var depth = 0
                repeat {
                    guard self.byte() != nil else { return false }
                    let step = starts("/*") ? 1 : starts("*/") ? -1 : 0
                    depth += step
                    position += step == 0 ? 1 : 2
                } while depth > 0
            } else {
                break
            }
        }
        return true
    }

    /// - Returns: nil where a string does not end.
    mutating func next() -> ManifestToken? {
        guard let first = byte() else { return nil }
        let start = position
        let kind: ManifestToken.Kind
        if first == UInt8(ascii: "\"") || startsRawString {
            guard let string = string() else { return nil }
            kind = string
        } else if first == UInt8(ascii: "#") {
            position += 1
            skipWord()
            kind = .directive
        } else if Self.isPartOfWord(first) {
            skipWord()
            kind = .word(String(decoding: text[start..<position], as: UTF8.self))
        } else {
            position += 1
            kind = .mark(first)
        }
        return ManifestToken(kind: kind, range: start..<position)
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "`") || byte >= 0x80
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private mutating func skipWord() {
        while let byte = byte(), Self.isPartOfWord(byte) { position += 1 }
    }

    private var startsRawString: Bool {
        var offset = 0
        while byte(offset) == UInt8(ascii: "#") { offset += 1 }
        return offset > 0 && byte(offset) == UInt8(ascii: "\"")
    }

    private mutating func string() -> ManifestToken.Kind? {
        var hashes = 0
        while byte() == UInt8(ascii: "#") {
            hashes += 1
            position += 1
        }
        let quotes = starts("\"\"\"") ? 3 : 1
        position += quotes
        let start = position
        let end =
            [UInt8](repeating: UInt8(ascii: "\""), count: quotes) + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        var isPlain = hashes == 0 && quotes == 1
        while let byte = byte() {
            if text[position...].starts(with: end) {
                let contents = String(validating: text[start..<position], as: UTF8.self)
                position += end.count
                return .string(isPlain ? contents : nil)
            }
            if byte == UInt8(ascii: "\n"), quotes == 1 { return nil }
            if byte == UInt8(ascii: "\\") {
                isPlain = false
                // What is interpolated may hold quotes: nothing after it could be told.
                if hashes == 0 {
                    guard self.byte(1) != UInt8(ascii: "(") else { return nil }
                    position += 1
                }
            }
            position += 1
        }
        return nil
    }
}
