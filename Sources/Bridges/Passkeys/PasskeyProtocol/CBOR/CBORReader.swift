/// Reads CBOR values from the front of bytes that anybody may have written.
///
/// A length is compared with the number of bytes left before memory is allocated for it.
struct CBORReader {
    private var rest: ArraySlice<UInt8>

    /// How many arrays and maps may contain each other. CTAP2 messages use four; this leaves room for extensions, and
    /// bounds the stack.
    private static let deepestNesting = 8

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// In bytes.
    var remaining: Int { rest.count }

    mutating func value() throws(CBORFormatError) -> CBORValue { try value(inside: 0) }

    /// - Parameter depth: the number of arrays and maps around the value.
    private mutating func value(inside depth: Int) throws(CBORFormatError) -> CBORValue {
        guard let first = rest.popFirst() else { throw Self.tooShort }
        let detail = first & 0x1f
        switch first >> 5 {
        case 0: return .integer(try integer(detail))
        // -1 - n, which cannot overflow.
        case 1: return .integer(~(try integer(detail)))
        case 2: return .bytes(Array(try take(argument(detail))))
        case 3: return .text(try text(detail))
        case 4: return .array(try array(detail, inside: depth))
        case 5: return .map(try map(detail, inside: depth))
        case 6: throw CBORFormatError("a value has a tag")
        default: return try simple(detail)
        }
    }

    private func simple(_ detail: UInt8) throws(CBORFormatError) -> CBORValue {
        switch detail {
        case CBORValue.falseDetail: return false
        case CBORValue.trueDetail: return true
        case CBORValue.nullDetail: return .null
        case 25, 26, 27: throw CBORFormatError("a value is a floating-point number")
        default: throw CBORFormatError("a value is of no known kind")
        }
    }

    private mutating func integer(_ detail: UInt8) throws(CBORFormatError) -> Int64 {
        guard let value = Int64(exactly: try argument(detail)) else { throw CBORFormatError("an integer is too large") }
        return value
    }

    private mutating func text(_ detail: UInt8) throws(CBORFormatError) -> String {
        guard let text = String(validating: try take(argument(detail)), as: UTF8.self) else {
            throw CBORFormatError("a text is not UTF-8")
        }
        return text
    }

    private mutating func array(_ detail: UInt8, inside depth: Int) throws(CBORFormatError) -> [CBORValue] {
        let count = try count(detail, bytesOfEach: 1, inside: depth)
        var values: [CBORValue] = []
        for _ in 0..<count { values.append(try value(inside: depth + 1)) }
        return values
    }

    private mutating func map(_ detail: UInt8, inside depth: Int) throws(CBORFormatError) -> CBORMap {
        let count = try count(detail, bytesOfEach: 2, inside: depth)
        var map = CBORMap()
        for _ in 0..<count {
            let key = try value(inside: depth + 1)
            try map.append(key, value(inside: depth + 1))
        }
        return map
    }

    /// The number of elements of an array or a map.
    ///
    /// - Parameter bytesOfEach: the smallest size of an element.
    private mutating func count(
        _ detail: UInt8,
        bytesOfEach: Int,
        inside depth: Int
    ) throws(CBORFormatError) -> Int {
        guard depth < Self.deepestNesting else { throw CBORFormatError("arrays and maps are nested too deep") }
        guard let count = Int(exactly: try argument(detail)), count <= rest.count / bytesOfEach else {
            throw Self.tooShort
        }
        return count
    }

    /// The number that follows the major type, in the shortest form.
    private mutating func argument(_ detail: UInt8) throws(CBORFormatError) -> UInt64 {
        let least: UInt64
        switch detail {
        case 0..<24: return UInt64(detail)
        case 24: least = 24
        case 25: least = 1 << 8
        case 26: least = 1 << 16
        case 27: least = 1 << 32
        case 31: throw CBORFormatError("a value has no definite length")
        default: throw CBORFormatError("a length is of no known form")
        }
        let argument = try take(1 << UInt64(detail - 24)).reduce(0) { $0 << 8 | UInt64($1) }
        guard argument >= least else { throw CBORFormatError("a number is not in its shortest form") }
        return argument
    }

    private mutating func take(_ count: UInt64) throws(CBORFormatError) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: count), count <= rest.count else { throw Self.tooShort }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private static let tooShort = CBORFormatError("a value is shorter than it says")
}
