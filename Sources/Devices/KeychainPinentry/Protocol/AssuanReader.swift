import KeychainModel

/// Reads a pinentry's lines, and trusts none of them.
struct AssuanReader: ~Copyable {
    /// What is no line of Assuan's, is too long, or is too much.
    struct Malformed: Error {}

    /// As much as one question's answers can be: a secret, and statuses that were not asked for.
    private static let mostBytes = 64 << 10
    /// More than any pinentry lets a person type.
    private static let longestSecret = 8 << 10

    private var incoming = SecretBuffer(capacity: 4 << 10)
    private var data = SecretBuffer(capacity: Self.longestSecret)
    private var received = 0

    /// What the `D` lines have brought since the last `forgetData`.
    var secret: SecretBytes { data.secret }

    mutating func forgetData() {
        data.removeAll()
    }

    /// Reads once; as read(2).
    mutating func read(from descriptor: Int32) throws(Malformed) -> Int {
        let count = incoming.fill(from: descriptor)
        if count > 0 {
            received += count
            guard received <= Self.mostBytes else { throw Malformed() }
        }
        return count
    }

    /// - Returns: nil where no whole line has come yet.
    mutating func next() throws(Malformed) -> AssuanReply? {
        guard let end = incoming.firstIndex(of: UInt8(ascii: "\n")) else {
            guard incoming.count < AssuanCommand.longestLine, !incoming.isFull else { throw Malformed() }
            return nil
        }
        guard end < AssuanCommand.longestLine else { throw Malformed() }
        let reply = try parse(end > 0 && incoming[end - 1] == UInt8(ascii: "\r") ? end - 1 : end)
        incoming.removeFirst(end + 1)
        return reply
    }

    private mutating func parse(_ count: Int) throws(Malformed) -> AssuanReply {
        guard !(0..<count).contains(where: { incoming[$0] == 0 }) else { throw Malformed() }
        if isWord("OK", count) { return .ok }
        if isWord("D", count) {
            try decode(from: 2, to: count)
            return .data
        }
        if isWord("ERR", count) { return .error(try code(from: 4, to: count)) }
        if isWord("S PIN_REPEATED", count) { return .repeated }
        if isWord("S", count) || count > 0 && incoming[0] == UInt8(ascii: "#") { return .other }
        throw Malformed()
    }

    /// Whether the line is this word, or begins with it and a space.
    private func isWord(_ word: String, _ count: Int) -> Bool {
        let bytes = Array(word.utf8)
        guard count >= bytes.count, count == bytes.count || incoming[bytes.count] == UInt8(ascii: " ") else {
            return false
        }
        return bytes.indices.allSatisfy { incoming[$0] == bytes[$0] }
    }

    private func code(from start: Int, to end: Int) throws(Malformed) -> UInt16 {
        var value: UInt32 = 0
        var position = start
        while position < end, let digit = Self.digit(incoming[position]), digit < 10 {
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(UInt32(digit))
            guard !tooLarge, !overflows else { throw Malformed() }
            value = sum
            position += 1
        }
        guard position > start, position == end || incoming[position] == UInt8(ascii: " ") else { throw Malformed() }
        return UInt16(truncatingIfNeeded: value)
    }

    private mutating func decode(from start: Int, to end: Int) throws(Malformed) {
        var position = start
        while position < end {
            var byte = incoming[position]
            position += 1
            if byte == UInt8(ascii: "%") {
                guard end - position >= 2, let high = Self.digit(incoming[position]),
                    let low = Self.digit(incoming[position + 1])
                else { throw Malformed() }
                byte = high << 4 | low
                position += 2
            }
            guard data.append(byte) else { throw Malformed() }
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
