import Glibc

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
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.data(let left), .data(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
        case (.date(let left), .date(let right)): left.bitPattern == right.bitPattern
        default: false
        }
    }
}

extension String {
    /// Whether two strings have the same UTF-8 bytes. Lists compare hundreds of thousands of values with it.
    package func hasSameBytes(as other: String) -> Bool {
        let isEqual: Bool?? = unsafe utf8.withContiguousStorageIfAvailable { left in
            unsafe other.utf8.withContiguousStorageIfAvailable { right in
                guard left.count == right.count else { return false }
                guard let start = left.baseAddress, let otherStart = right.baseAddress else {
                    return true
                }
                return unsafe memcmp(start, otherStart, left.count) == 0
            }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
