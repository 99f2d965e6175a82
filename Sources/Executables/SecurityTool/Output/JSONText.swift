import Terminal

/// JSON with its keys in the order in which they were written.
enum JSONText {
    case null
    case bool(Bool)
    case number(Int64)
    case string(String)
    case array([JSONText])
    case object([(key: String, value: JSONText)])

    /// The document, indented by two spaces a level. Control and format characters are escaped, so it can be shown on
    /// a terminal.
    func text(indentation: String = "") -> String {
        let inner = indentation + "  "
        switch self {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let number): return String(number)
        case .string(let string): return Self.quoted(string)
        case .array(let values):
            if values.isEmpty { return "[]" }
            let lines = values.map { inner + $0.text(indentation: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
        case .object(let members):
            if members.isEmpty { return "{}" }
            let lines = members.map { inner + Self.quoted($0.key) + ": " + $0.value.text(indentation: inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
        }
    }

    private static func quoted(_ string: String) -> String {
        string.unicodeScalars.reduce(into: "\"") { $0 += escaped($1) } + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default: break
        }
        if TerminalText.isSafe(scalar) { return String(scalar) }
        return UTF16.encode(scalar).map { units in
            units.reduce(into: "") { text, unit in
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        } ?? ""
    }
}
