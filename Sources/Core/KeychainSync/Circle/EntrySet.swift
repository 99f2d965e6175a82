/// Numbers of entries, as bits.
struct EntrySet: Hashable, Sendable {
    private var words: [UInt64] = []

    mutating func insert(_ number: Int) {
        let word = number / 64
        if word >= words.count { words += [UInt64](repeating: 0, count: word + 1 - words.count) }
        words[word] |= 1 << (number % 64)
    }

    mutating func formUnion(_ other: EntrySet) {
        if other.words.count > words.count { words += [UInt64](repeating: 0, count: other.words.count - words.count) }
        for (index, word) in other.words.enumerated() { words[index] |= word }
    }

    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    func contains(_ number: Int) -> Bool {
        number / 64 < words.count && words[number / 64] & 1 << (number % 64) != 0
    }
}
