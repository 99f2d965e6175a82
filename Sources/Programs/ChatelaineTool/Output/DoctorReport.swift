import Terminal

/// What a look around has shown, a line each, by subject.
struct DoctorReport {
    private(set) var text = ""
    private(set) var hasProblem = false

    mutating func begin(_ subject: String) {
        if !text.isEmpty { text += "\n" }
        text += subject + "\n"
    }

    mutating func fine(_ sentence: String) { add("ok", sentence) }

    /// Neither good nor bad, or only less than there could be.
    mutating func note(_ sentence: String) { add("-", sentence) }

    mutating func problem(_ sentence: String) {
        add("!!", sentence)
        hasProblem = true
    }

    mutating func require(_ condition: Bool, _ sentence: String, _ otherwise: String) {
        if condition { fine(sentence) } else { problem(otherwise) }
    }

    mutating func prefer(_ condition: Bool, _ sentence: String, _ otherwise: String) {
        if condition { fine(sentence) } else { note(otherwise) }
    }

    private mutating func add(_ mark: String, _ sentence: String) {
        text += "  \(mark)\(mark.count == 1 ? " " : "") \(TerminalText.escaped(sentence))\n"
    }
}
