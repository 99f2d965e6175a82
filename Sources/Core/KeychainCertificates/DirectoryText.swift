import SwiftASN1

/// A value of one of ASN.1's types of text.
struct DirectoryText {
    let string: String

    /// - Returns: nil for a value of another type, or one that is no text in its own encoding.
    init?(_ node: ASN1Node) {
        guard case .primitive(let bytes) = node.content else { return nil }
        let decoded: String? =
            switch node.identifier {
            case .utf8String: String(validating: bytes, as: UTF8.self)
            case .printableString, .ia5String, .numericString, .visibleString:
                bytes.allSatisfy { $0 < 0x80 } ? String(validating: bytes, as: UTF8.self) : nil
            // In practice this is Latin-1, not what ITU-T T.61 says.
            case .teletexString: String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
            case .bmpString: Self.units(bytes, of: UInt16.self).flatMap { String(validating: $0, as: UTF16.self) }
            case .universalString: Self.units(bytes, of: UInt32.self).flatMap { String(validating: $0, as: UTF32.self) }
            default: nil
            }
        guard let decoded else { return nil }
        string = decoded
    }

    /// Big-endian units, or nil where the bytes do not come out even.
    private static func units<Unit: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>, of: Unit.Type) -> [Unit]? {
        let size = Unit.bitWidth / 8
        guard bytes.count.isMultiple(of: size) else { return nil }
        var units: [Unit] = []
        var rest = bytes
        while !rest.isEmpty {
            units.append(rest.prefix(size).reduce(0) { $0 << 8 | Unit($1) })
            rest = rest.dropFirst(size)
        }
        return units
    }

    /// The text without regard to case and blanks, as RFC 5280, section 7.1, compares names: ASCII letters in upper
    /// case, no blank at either end, one between words. Letters outside ASCII stay as they are.
    var normalized: String {
        var result = String.UnicodeScalarView()
        var isAfterBlank = false
        for scalar in string.unicodeScalars {
            if scalar.isBlank {
                isAfterBlank = true
                continue
            }
            if isAfterBlank, !result.isEmpty { result.append(" ") }
            isAfterBlank = false
            result.append(scalar.asciiUppercased)
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// A space, or one of the control characters that RFC 4518 maps to it.
    fileprivate var isBlank: Bool { self == " " || ("\t"..."\r").contains(self) }

    fileprivate var asciiUppercased: Unicode.Scalar {
        guard ("a"..."z").contains(self) else { return self }
        return Unicode.Scalar(UInt8(truncatingIfNeeded: value - 0x20))
    }
}
