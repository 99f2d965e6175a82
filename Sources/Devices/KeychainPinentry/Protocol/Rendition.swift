/// How the texts of a prompt are shown: in full, or as a terminal needs it that could not show them so.
struct Rendition: Equatable {
    /// The terminal's locale has no other letters.
    var isASCII = false
    /// The terminal is small: pinentry-curses shows nothing rather than a part.
    var isSmall = false

    /// What may help where a dialog failed.
    func improved(after code: UInt16) -> Rendition? {
        var better = self
        if code == AssuanReply.localeProblem { better.isASCII = true }
        if code == AssuanReply.windowTooSmall { better.isSmall = true }
        return better == self ? nil : better
    }

    private func line(_ text: String, _ limit: PromptText.Limit) -> String {
        SafeText.line(text, limit: limit, keepsQuotations: true)
    }

    func text(_ text: PromptText, of command: String) -> String {
        var result = isSmall ? text.brief : text.text
        switch command {
        case "SETDESC": break
        // These have one line; some flavours take an underscore for the sign of a key.
        case "SETPROMPT", "SETREPEAT": result = line(result, .label).replacing("_", with: " ")
        case "SETOK", "SETCANCEL", "SETNOTOK": result = line(result, .label)
        default: result = line(result, .sentence)
        }
        if isASCII { result = PlainText.ascii(result) }
        guard isSmall else { return result }
        switch command {
        case "SETDESC": return PlainText.shortened(result, to: 240)
        // pinentry-curses gives each button a third of the width.
        case "SETOK", "SETCANCEL", "SETNOTOK": return PlainText.shortened(result, to: 12)
        default: return PlainText.shortened(result, to: 32)
        }
    }
}
