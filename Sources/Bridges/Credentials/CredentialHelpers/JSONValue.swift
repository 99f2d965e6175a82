package import KeychainModel

/// A JSON document (RFC 8259) of which each text may be secret.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// As it was written.
    case number(String)
    case text(SecretBytes)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    /// A member of an object.
    ///
    /// - Returns: nil where there is none, where there are two, and where this is no object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        let values = members.filter { $0.name == name }
        return values.count == 1 ? values.first?.value : nil
    }

    package var secret: SecretBytes? {
        if case .text(let secret) = self { secret } else { nil }
    }

    package var string: String? { secret?.text }

    /// A text as JSON writes it. What a terminal could obey is escaped.
    package static func quoted(_ text: String) -> SecretText { quoted(SecretBytes(text.utf8)) }

    /// - Parameter secret: UTF-8.
    package static func quoted(_ secret: SecretBytes) -> SecretText {
        var text = SecretText("\"")
        var start = 0
        secret.withBytes { bytes in
            for index in bytes.indices {
                guard let escape = escape(bytes[index]) else { continue }
                text += secret.slice(start..<index)
                text += escape
                start = index + 1
            }
        }
        text += secret.slice(start..<secret.count)
        text += "\""
        return text
    }

    private static func escape(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case UInt8(ascii: "\n"): "\\n"
        case 0..<0x10: "\\u000" + String(byte, radix: 16)
        case 0x10..<0x20, 0x7F: "\\u00" + String(byte, radix: 16)
        default: nil
        }
    }
}
