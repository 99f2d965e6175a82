/// A value of the message bus (D-Bus Specification, Type System), as far as anything here uses them.
package indirect enum BusValue: Sendable, Equatable {
    case string(String)
    case path(String)
    case bool(Bool)
    case uint32(UInt32)
    case uint64(UInt64)
    /// An array of bytes.
    case bytes([UInt8])
    /// The signature of its elements, and these.
    case array(of: String, [BusValue])
    case entry(BusValue, BusValue)
    case structure([BusValue])
    case variant(BusValue)
    /// A file descriptor. Whoever takes the value closes it.
    case descriptor(Int32)
    /// A value of a type that nothing here uses.
    case other(String)

    /// The signature of its type.
    package var signature: String {
        switch self {
        case .string: "s"
        case .path: "o"
        case .bool: "b"
        case .uint32: "u"
        case .uint64: "t"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .entry(let key, let value): "{\(key.signature)\(value.signature)}"
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .variant: "v"
        case .descriptor: "h"
        case .other(let signature): signature
        }
    }
}

extension BusValue {
    /// About how many bytes it takes in a message.
    package var size: Int {
        switch self {
        case .string(let text), .path(let text), .other(let text): text.utf8.count + 8
        case .bool, .uint32, .descriptor: 4
        case .uint64: 8
        case .bytes(let bytes): bytes.count + 8
        case .array(_, let elements), .structure(let elements): elements.reduce(8) { $0 + $1.size }
        case .entry(let key, let value): key.size + value.size + 8
        case .variant(let content): content.size + 8
        }
    }

    package static func paths(_ paths: [String]) -> BusValue { .array(of: "o", paths.map { .path($0) }) }

    /// A dictionary with values of any type: `a{sv}`.
    package static func properties(_ properties: [(name: String, value: BusValue)]) -> BusValue {
        .array(of: "{sv}", properties.map { .entry(.string($0.name), .variant($0.value)) })
    }

    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var objectPath: String? { if case .path(let path) = self { path } else { nil } }
    package var boolean: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    package var number: UInt32? { if case .uint32(let number) = self { number } else { nil } }
    package var content: BusValue? { if case .variant(let content) = self { content } else { nil } }
    package var fields: [BusValue]? { if case .structure(let fields) = self { fields } else { nil } }
    package var elements: [BusValue]? { if case .array(_, let elements) = self { elements } else { nil } }
}
