/// A value of CBOR (RFC 8949), of the kinds that CTAP2 messages use.
///
/// There are no tags, floats, and no simple values but the three below.
package enum CBORValue: Sendable {
    /// An integer of either sign. CBOR knows greater ones, CTAP2 does not need them.
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map(CBORMap)
    case boolean(Bool)
    case null
}

extension CBORValue {
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var array: [CBORValue]? { if case .array(let value) = self { value } else { nil } }
    package var map: CBORMap? { if case .map(let value) = self { value } else { nil } }
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    package var isNull: Bool { self == .null }
}

// In Swift, two strings are equal if they look the same, even if their bytes differ. Here the bytes decide, as
// they do in the order of a map's keys.
extension CBORValue: Hashable {
    package static func == (left: CBORValue, right: CBORValue) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.map(let left), .map(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        case (.null, .null): true
        case (.integer, _), (.bytes, _), (.text, _), (.array, _), (.map, _), (.boolean, _), (.null, _): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(major)
        switch self {
        case .integer(let value): hasher.combine(value)
        case .bytes(let value): hasher.combine(value)
        case .text(let value): hasher.combine(Array(value.utf8))
        case .array(let value): hasher.combine(value)
        case .map(let value): hasher.combine(value)
        case .boolean(let value): hasher.combine(value)
        case .null: break
        }
    }
}
