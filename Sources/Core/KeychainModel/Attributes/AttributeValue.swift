/// A value as it is stored and returned.
///
/// Strings are compared byte by byte: nothing is Unicode-normalised, unlike Swift's own `String` comparison.
package enum AttributeValue: Sendable {
    case string(String)
    case data([UInt8])
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01 00:00:00 UTC, `CFAbsoluteTime`'s reference date.
    case date(Double)

    /// How many bytes the value takes, for the limit on an attribute's size.
    package var byteCount: Int {
        switch self {
        case .string(let string): string.utf8.count
        case .data(let bytes): bytes.count
        case .integer, .real, .date: 8
        }
    }
}

extension AttributeValue: Equatable {
    package static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
        case (.date(let left), .date(let right)): left.bitPattern == right.bitPattern
        default: false
        }
    }
}
