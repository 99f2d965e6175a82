/// A value of a few types and its DER (ITU-T X.690): dictionaries are SETs of SEQUENCEs of a UTF8String and a value, arrays
/// are SEQUENCEs.
package indirect enum DERValue: Sendable, Hashable {
    case boolean(Bool)
    case integer(Int)
    case text(String)
    case data([UInt8])
    case array([DERValue])
    case dictionary([String: DERValue])

    package var encoded: [UInt8] {
        switch self {
        case .boolean(let flag): [0x01, 0x01, flag ? 0xFF : 0x00]
        case .integer(let number): Self.element(0x02, Self.content(of: number))
        case .data(let bytes): Self.element(0x04, bytes)
        case .text(let text): Self.element(0x0C, Array(text.utf8))
        case .array(let values): Self.element(0x30, values.flatMap(\.encoded))
        case .dictionary(let entries):
            Self.element(
                0x31,
                entries.map { Self.element(0x30, DERValue.text($0.key).encoded + $0.value.encoded) }
                    .sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
            )
        }
    }

    /// The bytes of an INTEGER, as few as there can be.
    private static func content(of number: Int) -> [UInt8] {
        var bytes = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        while bytes.count > 1, bytes[0] == (bytes[1] < 0x80 ? 0 : 0xFF) { bytes.removeFirst() }
        return bytes
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)]
            : count < 0x100
                ? [0x81, UInt8(count)]
                : [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        return [tag] + length + content
    }

    /// In bytes: what lengths of two bytes can say.
    private static let largest = 0xFFFF
    private static let deepest = 8

    /// Reads one value that is all there is. Whoever wants the one encoding compares it with `encoded`.
    ///
    /// - Returns: nil for anything else, for more than 65,535 bytes, and for what is nested more than eight deep.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.largest else { return nil }
        var rest = bytes[...]
        guard let value = Self.read(&rest, depth: 1), rest.isEmpty else { return nil }
        self = value
    }

    private static func read(_ rest: inout ArraySlice<UInt8>, depth: Int) -> DERValue? {
        guard depth <= deepest, let (tag, content) = element(&rest) else { return nil }
        switch (tag, content.count) {
        case (0x01, 1): return content.first.map { .boolean($0 != 0) }
        case (0x02, 1...8): return .integer(content.reduce((content.first ?? 0) < 0x80 ? 0 : -1) { $0 << 8 | Int($1) })
        case (0x30, _): return array(content, depth: depth)
        case (0x04, _): return .data(Array(content))
        case (0x0C, _): return String(validating: content, as: UTF8.self).map { .text($0) }
        case (0x31, _): return dictionary(content, depth: depth)
        default: return nil
        }
    }

    private static func array(_ content: ArraySlice<UInt8>, depth: Int) -> DERValue? {
        var rest = content
        var values: [DERValue] = []
        while !rest.isEmpty {
            guard let value = read(&rest, depth: depth + 1) else { return nil }
            values.append(value)
        }
        return .array(values)
    }

    private static func dictionary(_ content: ArraySlice<UInt8>, depth: Int) -> DERValue? {
        var rest = content
        var entries: [String: DERValue] = [:]
        while !rest.isEmpty {
            guard let (tag, pair) = element(&rest), tag == 0x30 else { return nil }
            var inner = pair
            guard case .text(let key)? = read(&inner, depth: deepest), let value = read(&inner, depth: depth + 1),
                inner.isEmpty, entries.updateValue(value, forKey: key) == nil
            else { return nil }
        }
        return .dictionary(entries)
    }

    private static func element(_ rest: inout ArraySlice<UInt8>) -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            guard first == 0x81 || first == 0x82 else { return nil }
            length = 0
            for _ in 0..<(first & 0x7F) {
                guard let byte = rest.popFirst() else { return nil }
                length = length << 8 | Int(byte)
            }
        }
        guard length <= rest.count else { return nil }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return (tag, content)
    }
}
