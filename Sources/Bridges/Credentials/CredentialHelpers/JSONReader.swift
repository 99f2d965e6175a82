package import KeychainModel

/// Reads JSON from bytes that may be secret: no text of it is copied into anything but a `SecretBytes`, member names
/// excepted.
package struct JSONReader {
    /// Requests and answers have two levels.
    private static let deepest = 16

    private let input: SecretBytes
    private var position = 0

    /// - Throws: for what is no JSON, and for more after it than blanks.
    package static func read(_ input: SecretBytes) throws(HelperFailure) -> JSONValue {
        var reader = JSONReader(input: input)
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.position == input.count else { throw faulty }
        return value
    }

    private static let faulty = HelperFailure("the input is no valid JSON")

    private init(input: SecretBytes) {
        self.input = input
    }

    private var next: UInt8? {
        let position = position
        return input.withBytes { position < $0.count ? $0[position] : nil }
    }

    private mutating func skipBlanks() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    /// Takes a byte if it comes next.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func require(_ character: Unicode.Scalar) throws(HelperFailure) {
        guard skip(character) else { throw Self.faulty }
    }

    private mutating func value(depth: Int) throws(HelperFailure) -> JSONValue {
        guard depth < Self.deepest else { throw HelperFailure("the input is nested too deeply") }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .text(try text())
        default: return try word()
        }
    }

    private mutating func object(depth: Int) throws(HelperFailure) -> JSONValue {
        try require("{")
        var members: [(name: String, value: JSONValue)] = []
        skipBlanks()
        if skip("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard let name = try text().text else { throw Self.faulty }
            skipBlanks()
            try require(":")
            members.append((name, try value(depth: depth + 1)))
            skipBlanks()
        } while skip(",")
        try require("}")
        return .object(members)
    }

    private mutating func array(depth: Int) throws(HelperFailure) -> JSONValue {
        try require("[")
        var values: [JSONValue] = []
        skipBlanks()
        if skip("]") { return .array(values) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipBlanks()
        } while skip(",")
        try require("]")
        return .array(values)
    }

    /// A number, `true`, `false` or `null`.
    private mutating func word() throws(HelperFailure) -> JSONValue {
        let start = position
        while let byte = next, Self.isOfWord(byte) { position += 1 }
        guard position - start <= 64, let word = input.text(start..<position) else { throw Self.faulty }
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            guard Self.isNumber(word) else { throw Self.faulty }
            return .number(word)
        }
    }

    /// A sign, digits without a leading zero, a fraction, an exponent.
    private static func isNumber(_ word: String) -> Bool {
        var rest = Substring(word).utf8
        func digits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let hasZero = rest.first == UInt8(ascii: "0")
        let count = digits()
        guard count == 1 || (count > 1 && !hasZero) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    // MARK: - Texts

    private mutating func text() throws(HelperFailure) -> SecretBytes {
        try require("\"")
        var pieces = SecretText()
        var start = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                pieces += input.slice(start..<position)
                position += 1
                let text = pieces.joined()
                guard text.isUTF8 else { throw Self.faulty }
                return text
            case UInt8(ascii: "\\"):
                pieces += input.slice(start..<position)
                position += 1
                pieces += SecretBytes(String(try escaped()).utf8)
                start = position
            case 0..<0x20: throw Self.faulty
            default: position += 1
            }
        }
        throw Self.faulty
    }

    private mutating func escaped() throws(HelperFailure) -> Unicode.Scalar {
        defer { position += 1 }
        switch next {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            position += 1
            return try scalar()
        default: throw Self.faulty
        }
    }

    /// A character by its number, or by two surrogates. Leaves the last digit for the caller.
    private mutating func scalar() throws(HelperFailure) -> Unicode.Scalar {
        let high = try unit()
        if let scalar = Unicode.Scalar(UInt32(high)) {
            position -= 1
            return scalar
        }
        guard UTF16.isLeadSurrogate(high) else { throw Self.faulty }
        try require("\\")
        try require("u")
        let low = try unit()
        guard UTF16.isTrailSurrogate(low) else { throw Self.faulty }
        position -= 1
        return UTF16.decode(UTF16.EncodedScalar([high, low]))
    }

    private mutating func unit() throws(HelperFailure) -> UInt16 {
        guard position + 4 <= input.count, let digits = input.text(position..<position + 4),
            digits.utf8.count == 4, let unit = UInt16(digits, radix: 16), !digits.hasPrefix("+"), !digits.hasPrefix("-")
        else { throw Self.faulty }
        position += 4
        return unit
    }
}

extension SecretBytes {
    /// Looked at where it is: no copy is left.
    var isUTF8: Bool {
        withBytes { bytes in (try? UTF8Span(validating: bytes)) != nil }
    }
}
