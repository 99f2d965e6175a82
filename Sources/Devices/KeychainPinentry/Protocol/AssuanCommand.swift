/// A command in Assuan's lines ("Server responses" and "Client requests" of libassuan's manual).
enum AssuanCommand {
    /// The longest line, with its end.
    static let longestLine = 1000

    private static let mark = "…"

    /// A command whose argument is text: percent-escaped, and cut where the line would become too long.
    ///
    /// - Parameter isLabel: whether an underscore before a letter would make that letter a key to press.
    static func line(_ command: String, _ text: String, isLabel: Bool = false, limit: Int = longestLine) -> [UInt8] {
        let start = Array(command.utf8) + [UInt8(ascii: " ")]
        let end = UInt8(ascii: "\n")
        let mark = Array(text.utf8.allSatisfy { $0 < 0x80 } ? "...".utf8 : mark.utf8)
        var line = start
        var cut = start.count
        for scalar in text.unicodeScalars {
            let isMark = [.nonspacingMark, .spacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
            if !isMark, line.count + mark.count < limit { cut = line.count }
            line += escaped(scalar, isLabel: isLabel)
            if line.count >= limit {
                line.removeLast(line.count - cut)
                line += mark
                break
            }
        }
        return line + [end]
    }

    private static func escaped(_ scalar: Unicode.Scalar, isLabel: Bool) -> [UInt8] {
        switch scalar {
        case "%": Array("%25".utf8)
        case "\n": Array("%0A".utf8)
        case "\r": Array("%0D".utf8)
        case "_" where isLabel: Array("__".utf8)
        default: UTF8.encode(scalar).map(Array.init) ?? []
        }
    }
}
