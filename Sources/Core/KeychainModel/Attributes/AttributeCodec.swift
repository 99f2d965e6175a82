/// The tag-length-value form of attributes: a version byte, then for each attribute in the order of their keys the
/// four bytes of the key, a type byte, the length (LEB128) and the value.
///
/// `docs/formats/metadata.md` gives every byte. There is exactly one encoding of a list, and the decoder takes no
/// other.
package enum AttributeCodec {
    private static let version: UInt8 = 1

    private enum TypeCode {
        static let string: UInt8 = 1
        static let data: UInt8 = 2
        static let integer: UInt8 = 3
        static let real: UInt8 = 4
        static let date: UInt8 = 5
    }

    package static func encode(_ attributes: AttributeList) -> [UInt8] {
        var bytes: [UInt8] = [version]
        bytes.reserveCapacity(attributes.entries.reduce(1) { $0 + 10 + $1.value.byteCount })
        for entry in attributes.entries {
            append(UInt64(entry.key.rawValue), bytes: 4, to: &bytes)
            switch entry.value {
            case .string(let string): append(TypeCode.string, Array(string.utf8), to: &bytes)
            case .data(let data): append(TypeCode.data, data, to: &bytes)
            case .integer(let number): append(TypeCode.integer, UInt64(bitPattern: number), to: &bytes)
            case .real(let number): append(TypeCode.real, number.bitPattern, to: &bytes)
            case .date(let seconds): append(TypeCode.date, seconds.bitPattern, to: &bytes)
            }
        }
        return bytes
    }

    private static func append(_ type: UInt8, _ value: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(type)
        var length = value.count
        while length >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: length) | 0x80)
            length >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes += value
    }

    private static func append(_ type: UInt8, _ value: UInt64, to bytes: inout [UInt8]) {
        bytes.append(type)
        bytes.append(8)
        append(value, bytes: 8, to: &bytes)
    }

    private static func append(_ value: UInt64, bytes count: Int, to bytes: inout [UInt8]) {
        for index in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64((count - 1 - index) * 8)))
        }
    }

    /// The attributes, or nil where the bytes are not the one encoding of some list.
    package static func decode(_ bytes: UnsafeRawBufferPointer) -> AttributeList? {
        var reader = unsafe ByteReader(bytes)
        guard reader.byte() == version else { return nil }
        var entries: [AttributeList.Entry] = []
        entries.reserveCapacity(20)
        while !reader.isAtEnd {
            guard let key = reader.bigEndian(4), let type = reader.byte(), let length = reader.length(),
                let value = value(of: type, length: length, from: &reader)
            else { return nil }
            let entry = AttributeList.Entry(
                key: AttributeKey(rawValue: UInt32(truncatingIfNeeded: key)),
                value: value
            )
            entries.append(entry)
        }
        return AttributeList(canonical: entries)
    }

    private static func value(of type: UInt8, length: Int, from reader: inout ByteReader) -> AttributeValue? {
        switch type {
        case TypeCode.string: return reader.string(length).map { .string($0) }
        case TypeCode.data: return reader.bytes(length).map { .data($0) }
        case TypeCode.integer where length == 8: return reader.bigEndian(8).map { .integer(Int64(bitPattern: $0)) }
        case TypeCode.real where length == 8: return reader.bigEndian(8).map { .real(Double(bitPattern: $0)) }
        case TypeCode.date where length == 8: return reader.bigEndian(8).map { .date(Double(bitPattern: $0)) }
        default: return nil
        }
    }
}
