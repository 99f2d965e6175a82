/// What stands in brackets, between commas.
struct ManifestList {
    /// An argument, or an element of an array.
    struct Entry {
        let label: String?
        /// The value's tokens, by their numbers. Never empty.
        let tokens: Range<Int>
    }

    let entries: [Entry]
    /// Its brackets, by the numbers of their tokens.
    let brackets: ClosedRange<Int>

    /// The list that the bracket with this number opens; nil where brackets do not match, or a directive stands between.
    init?(openedBy first: Int, in tokens: [ManifestToken]) {
        var entries: [Entry] = []
        var open: [UInt8] = []
        var start = first + 1
        func entry(before end: Int) -> Entry? {
            guard start < end else { return nil }
            if start + 2 < end, case .word(let label) = tokens[start].kind, tokens[start + 1].isMark(":") {
                return Entry(label: label, tokens: (start + 2)..<end)
            }
            return Entry(label: nil, tokens: start..<end)
        }
        for number in tokens.indices[first...] {
            switch tokens[number].kind {
            case .directive: return nil
            case .mark(let byte):
                if let close = Self.pairs[byte] {
                    open.append(close)
                } else if Self.pairs.values.contains(byte) {
                    guard open.popLast() == byte else { return nil }
                    guard open.isEmpty else { continue }
                    if let last = entry(before: number) { entries.append(last) }
                    self.entries = entries
                    brackets = first...number
                    return
                } else if byte == UInt8(ascii: ","), open.count == 1 {
                    guard let entry = entry(before: number) else { return nil }
                    entries.append(entry)
                    start = number + 1
                }
            case .word, .string: break
            }
            if open.isEmpty { return nil }
        }
        return nil
    }

    private static let pairs: [UInt8: UInt8] = [
        UInt8(ascii: "("): UInt8(ascii: ")"), UInt8(ascii: "["): UInt8(ascii: "]"),
        UInt8(ascii: "{"): UInt8(ascii: "}"),
    ]

    /// The one entry with a label; nil if there is none, or more than one.
    subscript(label: String) -> Entry? {
        let found = entries.filter { $0.label == label }
        return found.count == 1 ? found[0] : nil
    }
}
