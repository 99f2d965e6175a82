/// A name that others have chosen, as a part of what a prompt says.
package enum PromptPart {
    /// Which end of a long name is shown.
    package enum Kept {
        case beginning
        case end
    }

    /// In characters, and in bytes. A prompt shows 240 characters of a reason, and 260 bytes.
    private static let longest = 48

    /// The name, cut. What has other characters than names have stands in quotation marks, so that no name reads on as
    /// our text.
    package static func quoted(_ text: String, keeping kept: Kept = .beginning) -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#""'`%"#.utf8.contains($0) }
        // By scalars: a mark on a quotation mark makes another character of it, which a prompt shows as the mark alone.
        let scalars = Array(text.unicodeScalars.lazy.filter { isShown($0) && !isQuotationMark($0) })
        let part =
            switch kept {
            case .beginning: string(cut(scalars)) + (isCut(scalars) ? "…" : "")
            case .end: (isCut(scalars) ? "…" : "") + string(cut(scalars.reversed()).reversed())
            }
        return isPlain ? part : "“\(part)”"
    }

    /// Whether a prompt shows it at all.
    package static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: return false
        default: return !properties.isDefaultIgnorableCodePoint && scalar.value != 0xFFFC
        }
    }

    /// Those in pairs, the apostrophe among them, and what looks like one.
    package static func isQuotationMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Grave and acute accents; modifier letters and primes; ornaments; the ditto mark.
        case 0x60, 0xB4, 0x02B9...0x02BD, 0x02C8, 0x02CA, 0x02CB, 0x02DD, 0x02EE, 0x02F4...0x02F6, 0x05F3, 0x05F4,
            0x2032...0x2037, 0x2057, 0x275B...0x2760, 0x3003, 0xFF07, 0xFF40, 0x1F676...0x1F678:
            return true
        default:
            switch scalar.properties.generalCategory {
            case .initialPunctuation, .finalPunctuation: return true
            default: return scalar.properties.isQuotationMark
            }
        }
    }

    private static func size(_ scalar: Unicode.Scalar) -> Int {
        // A percent sign is sent as three bytes.
        scalar == "%" ? 3 : UTF8.width(scalar)
    }

    private static func cut(_ scalars: some Sequence<Unicode.Scalar>) -> [Unicode.Scalar] {
        var bytes = 0
        return scalars.prefix { scalar in
            bytes += size(scalar)
            return bytes <= longest
        }
    }

    private static func isCut(_ scalars: [Unicode.Scalar]) -> Bool { scalars.reduce(0) { $0 + size($1) } > longest }

    private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
