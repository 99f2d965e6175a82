/// A pattern with `*` and `?`, as ssh_config(5) describes them, without negation.
struct Pattern {
    private let pattern: [UInt8]

    init(_ pattern: String) {
        self.pattern = Array(pattern.utf8)
    }

    /// Takes time in proportion to the product of both lengths, whatever the pattern.
    func matches(_ text: String) -> Bool {
        let text = Array(text.utf8)
        var position = 0
        var next = 0
        // Where to go on if what followed the last asterisk does not fit.
        var retry: (pattern: Int, text: Int)?
        while next < text.count {
            if position < pattern.count, pattern[position] == UInt8(ascii: "*") {
                retry = (position + 1, next)
                position += 1
            } else if position < pattern.count,
                pattern[position] == UInt8(ascii: "?") || pattern[position] == text[next]
            {
                position += 1
                next += 1
            } else if let last = retry {
                retry = (last.pattern, last.text + 1)
                position = last.pattern
                next = last.text + 1
            } else {
                return false
            }
        }
        return pattern.dropFirst(position).allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
