/// What is left of text for a terminal that has only the letters of ASCII, or little room.
enum PlainText {
    static func shortened(_ text: String, to characters: Int) -> String {
        guard text.count > characters else { return text }
        return text.prefix(characters - 3) + "..."
    }

    static func ascii(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "“", "”", "„": result += "\""
            case "‘", "’": result += "'"
            case "–", "—": result += "-"
            case "…": result += "..."
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                switch scalar.properties.generalCategory {
                case .nonspacingMark, .enclosingMark, .spacingMark: break
                default: result += "?"
                }
            }
        }
    }
}
