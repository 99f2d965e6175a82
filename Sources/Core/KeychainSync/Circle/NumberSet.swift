/// Small numbers, as bits.
struct NumberSet: Hashable, Sendable {
    private var words: [UInt64] = []

    mutating func insert(_ number: Int) {
        let word = number / 64
        if word >= words.count { words += [UInt64](repeating: 0, count: word + 1 - words.count) }
        words[word] |= 1 << (number % 64)
    }

    mutating func formUnion(_ other: NumberSet) {
        if other.words.count > words.count { words += [UInt64](repeating: 0, count: other.words.count - words.count) }
        for (index, word) in other.words.enumerated() { words[index] |= word }
    }

    mutating func formIntersection(_ other: NumberSet) {
        if words.count > other.words.count { words.removeLast(words.count - other.words.count) }
        for index in words.indices { words[index] &= other.words[index] }
    }

    func intersection(_ other: NumberSet) -> NumberSet {
        var both = self
        both.formIntersection(other)
        return both
    }

    func isSubset(of other: NumberSet) -> Bool {
        words.indices.allSatisfy { index in
            words[index] & ~(index < other.words.count ? other.words[index] : 0) == 0
        }
    }

    func contains(_ number: Int) -> Bool {
        number / 64 < words.count && words[number / 64] & 1 << (number % 64) != 0
    }

    /// In rising order.
    var numbers: [Int] {
        var numbers: [Int] = []
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                numbers.append(index * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return numbers
    }
}
