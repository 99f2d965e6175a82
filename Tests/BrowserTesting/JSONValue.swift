import Foundation

/// Any JSON. Asking it for what it is not gives nothing, so that answers can be read without a type for each.
package enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// A member of an object, or null.
    package subscript(_ name: String) -> JSONValue { members[name] ?? .null }

    /// An element of an array, or null.
    package subscript(_ index: Int) -> JSONValue { elements.indices.contains(index) ? elements[index] : .null }

    package var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
    package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var double: Double? { if case .number(let number) = self { number } else { nil } }
    package var int: Int? { double.flatMap { Int(exactly: $0) } }
    package var isTrue: Bool { self == .boolean(true) }
}

extension JSONValue {
    /// Parses JSON, whatever it holds at the top.
    package init(parsing json: some Collection<UInt8>) throws {
        func parse(_ json: Data) throws -> Any {
            try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
        }
        do { self.init(bridging: try parse(Data(json))) } catch {
            self.init(bridging: try parse(Data(Self.mended(Array(json)))))
        }
    }

    /// The same with U+FFFD for what is half of a surrogate pair. JavaScript may send it, and Foundation refuses it.
    private static func mended(_ json: [UInt8]) -> [UInt8] {
        func unit(_ place: Int) -> UInt16? {
            guard place + 6 <= json.count, json[place] == 0x5C, json[place + 1] == 0x75 else { return nil }
            return UInt16(String(decoding: json[place + 2..<place + 6], as: UTF8.self), radix: 16)
        }
        var mended: [UInt8] = []
        var place = 0
        while place < json.count {
            var length = json[place] == 0x5C ? 2 : 1
            if let first = unit(place), UTF16.isSurrogate(first) {
                let isPair = UTF16.isLeadSurrogate(first) && unit(place + 6).map(UTF16.isTrailSurrogate) == true
                length = isPair ? 12 : 6
                mended += isPair ? json[place..<place + 12] : ArraySlice("\\ufffd".utf8)
            } else {
                mended += json[place..<min(place + length, json.count)]
            }
            place += length
        }
        return mended
    }

    private init(bridging value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let members as [String: Any]: self = .object(members.mapValues(JSONValue.init(bridging:)))
        case let elements as [Any]: self = .array(elements.map(JSONValue.init(bridging:)))
        // Foundation's parser makes a number of true and false too, which only its type tells from 1 and 0.
        case let number as NSNumber:
            self = unsafe number.objCType.pointee == 0x63 ? .boolean(number.boolValue) : .number(number.doubleValue)
        default: self = .null
        }
    }

    /// The JSON, without line ends.
    package var json: [UInt8] {
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: bridged, options: options)).map { Array($0) } ?? []
    }

    private var bridged: Any {
        switch self {
        case .null: NSNull()
        case .boolean(let value): value
        case .number(let number): Int(exactly: number).map { $0 as Any } ?? number
        case .string(let text): text
        case .array(let elements): elements.map(\.bridged)
        case .object(let members): members.mapValues(\.bridged)
        }
    }
}

extension JSONValue: CustomStringConvertible {
    package var description: String { text ?? String(decoding: json, as: UTF8.self) }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(integerLiteral value: Int) { self = .number(Double(value)) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(Dictionary(members) { $1 }) }
}
