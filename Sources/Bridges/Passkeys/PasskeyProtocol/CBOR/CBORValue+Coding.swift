extension CBORValue {
    static let falseDetail: UInt8 = 20
    static let trueDetail: UInt8 = 21
    static let nullDetail: UInt8 = 22

    /// Decodes bytes that contain one value in the canonical form of CTAP2 (CTAP 2.1, section 8), and nothing else.
    package init(decoding bytes: some Collection<UInt8>) throws(CBORFormatError) {
        let (value, rest) = try Self.decodePrefix(bytes)
        guard rest.isEmpty else { throw CBORFormatError("a value is followed by more bytes") }
        self = value
    }

    /// Decodes the value at the front of bytes, and returns the bytes that follow it.
    package static func decodePrefix<Bytes: Collection<UInt8>>(
        _ bytes: Bytes
    ) throws(CBORFormatError) -> (value: CBORValue, rest: Bytes.SubSequence) {
        let copy = Array(bytes)
        var reader = CBORReader(copy)
        let value = try reader.value()
        return (value, bytes.dropFirst(copy.count - reader.remaining))
    }

    /// The canonical form. Decoding it gives the same value, unless arrays and maps are nested too deep for a message.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// The kind of a value in its first byte (RFC 8949, section 3.1).
    var major: UInt8 {
        switch self {
        case .integer(let value): value < 0 ? 1 : 0
        case .bytes: 2
        case .text: 3
        case .array: 4
        case .map: 5
        case .boolean, .null: 7
        }
    }

    private func encode(into bytes: inout [UInt8]) {
        switch self {
        case .integer(let value): appendHead(UInt64(bitPattern: value < 0 ? ~value : value), to: &bytes)
        case .bytes(let value):
            appendHead(UInt64(value.count), to: &bytes)
            bytes += value
        case .text(let value):
            appendHead(UInt64(value.utf8.count), to: &bytes)
            bytes += value.utf8
        case .array(let values):
            appendHead(UInt64(values.count), to: &bytes)
            for value in values { value.encode(into: &bytes) }
        case .map(let map):
            appendHead(UInt64(map.entries.count), to: &bytes)
            for entry in map.entries {
                entry.key.encode(into: &bytes)
                entry.value.encode(into: &bytes)
            }
        case .boolean(let value): appendHead(UInt64(value ? Self.trueDetail : Self.falseDetail), to: &bytes)
        case .null: appendHead(UInt64(Self.nullDetail), to: &bytes)
        }
    }

    /// Appends the major type and its argument, in the shortest form.
    private func appendHead(_ argument: UInt64, to bytes: inout [UInt8]) {
        let (detail, size): (UInt8, Int) =
            switch argument {
            case 0..<24: (UInt8(truncatingIfNeeded: argument), 0)
            case 0..<1 << 8: (24, 1)
            case 0..<1 << 16: (25, 2)
            case 0..<1 << 32: (26, 4)
            default: (27, 8)
            }
        bytes.append(major << 5 | detail)
        for shift in stride(from: (size - 1) * 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: argument >> shift))
        }
    }
}
