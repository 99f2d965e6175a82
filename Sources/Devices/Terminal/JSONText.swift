/// JSON with its keys in the order in which they were written. Control and format characters are escaped, so that it can be
/// shown on a terminal.
package enum JSONText {
    case null
    case bool(Bool)
    case number(Int64)
    /// One that is finite.
    case real(Double)
    case string(String)
    case array([JSONText])
    case object([(key: String, value: JSONText)])

    /// The document on one line.
    package var line: String {
        switch self {
        case .array(let values): "[" + values.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.key) + ":" + $0.value.line }.joined(separator: ",") + "}"
        case .null, .bool, .number, .real, .string: text()
        }
    }

    /// The document, indented by two spaces a level.
    package func text(indentation: String = "") -> String {
        let inner = indentation + "  "
        switch self {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let number): return String(number)
        case .real(let number): return number.isFinite ? String(number) : "null"
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
