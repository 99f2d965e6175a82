/// Removes from text all characters that could make a prompt look other than it is.
///
/// Gone are control characters, everything invisible (which hides text or turns its order around), and what is no
/// character. Blanks of all kinds become one space, so that nothing is pushed out of sight.
struct SafeText {
    /// As many as scripts need that are written with marks; more of them paint over the lines above and below.
    private static let mostMarks = 3
    /// As far as text is looked at. A megabyte may hold nothing that is seen.
    private static let mostScalars = 16 << 10
    private static let mark: [UInt8] = Array("…".utf8)

    private var bytes: [UInt8] = []
    private var percentSigns = 0
    private var characters = 0
    private var marks = SafeText.mostMarks
    private var gap = Gap.none
    private let isOneLine: Bool
    private let keepsQuotations: Bool
    /// How long what was written may be at most for the mark of a cut to follow it.
    private var cut = 0

    /// In bytes, as it is sent: a name of percent signs alone would grow and leave no room for what follows.
    private var size: Int { bytes.count + 2 * percentSigns }

    private enum Gap: Equatable {
        case none
        case space
        case lines(Int)
    }

    private init(isOneLine: Bool, keepsQuotations: Bool) {
        self.isOneLine = isOneLine
        self.keepsQuotations = keepsQuotations
    }

    static func own(_ text: String) -> String {
        var result = SafeText(isOneLine: false, keepsQuotations: true)
        for scalar in text.unicodeScalars.prefix(mostScalars) { _ = result.append(scalar, limit: nil) }
        return String(decoding: result.bytes, as: UTF8.self)
    }

    /// On one line, with a mark where it was cut.
    static func line(_ text: String, limit: PromptText.Limit, keepsQuotations: Bool) -> String {
        var result = SafeText(isOneLine: true, keepsQuotations: keepsQuotations)
        for (index, scalar) in text.unicodeScalars.enumerated()
        where index == mostScalars || !result.append(scalar, limit: limit) {
            result.bytes.removeLast(result.bytes.count - result.cut)
            result.bytes += limit.bytes < mark.count ? [] : mark
            break
        }
        return String(decoding: result.bytes, as: UTF8.self)
    }

    /// - Returns: false where the limit leaves no room.
    private mutating func append(_ scalar: Unicode.Scalar, limit: PromptText.Limit?) -> Bool {
        switch role(of: scalar) {
        case .nothing: return true
        case .space:
            if gap == .none, !bytes.isEmpty { gap = .space }
            marks = Self.mostMarks
            return true
        case .line:
            guard !bytes.isEmpty else { return true }
            // One empty line sets paragraphs apart; more of them push out of sight what follows.
            if case .lines = gap { gap = .lines(2) } else { gap = .lines(1) }
            marks = Self.mostMarks
            return true
        case .mark:
            guard marks < Self.mostMarks else { return true }
            marks += 1
            bytes += UTF8.encode(scalar).map(Array.init) ?? []
            return limit.map { size <= $0.bytes } ?? true
        case .sign(let sign):
            if let limit, characters < limit.characters, size + Self.mark.count <= limit.bytes {
                cut = bytes.count
            }
            switch gap {
            case .none: break
            case .space: bytes.append(UInt8(ascii: " "))
            case .lines(let count): bytes += [UInt8](repeating: UInt8(ascii: "\n"), count: count)
            }
            characters += gap == .none ? 1 : 2
            gap = .none
            marks = 0
            if sign == "%" { percentSigns += 1 }
            bytes += UTF8.encode(sign).map(Array.init) ?? []
            return limit.map { characters <= $0.characters && size <= $0.bytes } ?? true
        }
    }

    private enum Role {
        case nothing
        case space
        case line
        /// It sits on the character before it.
        case mark
        case sign(Unicode.Scalar)
    }

    private func role(of scalar: Unicode.Scalar) -> Role {
        switch scalar.value {
        case 0x0A: return isOneLine ? .space : .line
        // Tab, vertical tab, form feed, return; the next line, and the blank pattern of Braille.
        case 0x09, 0x0B...0x0D, 0x20, 0x85, 0x2800: return .space
        case 0x21...0x7E: return !keepsQuotations && scalar == "\"" ? .sign("'") : .sign(scalar)
        // It stands for something that is not there.
        case 0xFFFC: return .nothing
        default: break
        }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint { return .nothing }
        switch properties.generalCategory {
        case .control, .format, .privateUse, .surrogate, .unassigned: return .nothing
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: return .space
        case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
        default: return !keepsQuotations && Self.isQuotation(scalar) ? .sign("'") : .sign(scalar)
        }
    }

    /// Marks in pairs and what looks like them. The apostrophe stays: names have it, and we do not quote with it.
    private static func isQuotation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2019: false
        // Modifier letters and primes that look doubled; ornaments; the ditto mark.
        case 0x02BA, 0x02DD, 0x02EE, 0x02F5, 0x02F6, 0x05F4, 0x2033, 0x2034, 0x2036, 0x2037, 0x2057, 0x275B...0x2760,
            0x3003, 0x1F676...0x1F678:
            true
        default: scalar.properties.isQuotationMark
        }
    }
}
