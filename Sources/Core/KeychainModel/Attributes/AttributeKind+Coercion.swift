import KeychainCertificates

extension AttributeKind {
    /// The largest attribute that is stored.
    package static let largestAttribute = 1 << 20
    /// The largest `kSecValueData` that is stored.
    package static let largestValue = 16 << 20

    /// The stored form of a caller's value.
    ///
    /// - Throws: `invalidParameter` if the kind does not take that type or that value, `dataTooLarge` over 1 MiB.
    package func coerce(_ value: QueryValue) throws(KeychainError) -> AttributeValue {
        guard let coerced = converted(value) else {
            throw KeychainError(.invalidParameter, "an attribute has a value of a type or form that it does not take")
        }
        guard coerced.byteCount <= Self.largestAttribute else {
            throw KeychainError(.dataTooLarge, "an attribute is larger than 1 MiB")
        }
        return coerced
    }

    /// The stored form of a value from another program, which may or may not be in that form.
    ///
    /// - Throws: as for a caller's value.
    package func coerce(_ value: AttributeValue) throws(KeychainError) -> AttributeValue {
        switch value {
        case .string(let string): try coerce(QueryValue.string(string))
        case .data(let bytes): try coerce(QueryValue.data(bytes))
        case .integer(let number): try coerce(QueryValue.integer(number))
        case .real(let number): try coerce(QueryValue.real(number))
        case .date(let seconds): try coerce(QueryValue.date(seconds))
        }
    }

    private func converted(_ value: QueryValue) -> AttributeValue? {
        switch self {
        case .string: Self.text(value)
        case .blob: Self.blob(value)
        case .data: Self.bytes(value)
        case .name: Self.name(value)
        case .number: Self.number(value)
        case .date: if case .date(let seconds) = value { .date(seconds) } else { nil }
        case .accessible:
            if case .string(let name) = value, Accessibility(rawValue: name) != nil { .string(name) } else { nil }
        case .accessControl: nil
        case .uuid: Self.uuid(value)
        case .sha1: if case .data(let bytes) = value, bytes.count == 20 { .data(bytes) } else { nil }
        case .flag:
            switch Self.number(value) {
            case .integer(let number) where number == 0 || number == 1: .integer(number)
            default: nil
            }
        }
    }

    private static func text(_ value: QueryValue) -> AttributeValue? {
        switch value {
        case .string(let string): .string(string)
        case .data(let bytes): String(validating: bytes, as: UTF8.self).map { .string($0) }
        case .uuid(_, let string): .string(string)
        default: nil
        }
    }

    private static func blob(_ value: QueryValue) -> AttributeValue? {
        switch value {
        case .string(let string): .string(string)
        case .data(let bytes): .data(bytes)
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        default: nil
        }
    }

    private static func bytes(_ value: QueryValue) -> AttributeValue? {
        switch value {
        case .data(let bytes): .data(bytes)
        case .string(let string): .data(Array(string.utf8))
        case .integer(let number): .data(number.blobBytes)
        default: nil
        }
    }

    private static func name(_ value: QueryValue) -> AttributeValue? {
        guard case .data(let bytes) = bytes(value) else { return nil }
        return .data(DistinguishedName.normalizedContent(of: bytes))
    }

    private static func number(_ value: QueryValue) -> AttributeValue? {
        switch value {
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .string(let string):
            // "443" is 443; "0443", "+443" and "http" are not the canonical spelling of a number and stay as they are.
            if let number = Int64(string), String(number) == string { .integer(number) } else { .string(string) }
        default: nil
        }
    }

    private static func uuid(_ value: QueryValue) -> AttributeValue? {
        switch value {
        case .data(let bytes) where bytes.isEmpty || bytes.count == 16: .data(bytes)
        case .uuid(let bytes, _): .data(bytes)
        case .null: .data([])
        default: nil
        }
    }
}

extension Int64 {
    /// The bytes of a number given where bytes are expected: four, little-endian, or eight where four are too few.
    fileprivate var blobBytes: [UInt8] {
        let isShort = Int32(exactly: self) != nil
        return (0..<(isShort ? 4 : 8)).map { UInt8(truncatingIfNeeded: self >> Int64($0 * 8)) }
    }
}

extension AttributeValue {
    /// The bytes by which a value is compared and made unique: equal values have equal bytes, whatever type spelled
    /// them.
    ///
    /// The first byte keeps numbers, dates and bytes apart. Text and data of the same bytes are the same value, and so
    /// are 443 and 443.0.
    package func canonicalBytes(as kind: AttributeKind) -> [UInt8] {
        switch self {
        case .string(let string): [0x62] + Array(string.utf8)
        case .data(let bytes): [0x62] + bytes
        case .integer(let number) where kind == .blob: [0x62] + number.blobBytes
        case .integer(let number): [0x6E] + number.bigEndianBytes
        case .real(let number):
            if let whole = Int64(exactly: number) {
                AttributeValue.integer(whole).canonicalBytes(as: kind)
            } else {
                [0x72] + Int64(bitPattern: number.bitPattern).bigEndianBytes
            }
        // -0.0 and 0.0 are one instant.
        case .date(let seconds): [0x74] + Int64(bitPattern: (seconds == 0 ? 0 : seconds).bitPattern).bigEndianBytes
        }
    }
}

extension Int64 {
    fileprivate var bigEndianBytes: [UInt8] {
        unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) }
    }
}
