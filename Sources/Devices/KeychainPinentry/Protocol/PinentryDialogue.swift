import KeychainModel
import KeychainSystem

/// The steps of one question, with one pinentry (its manual, "Pinentry's Assuan protocol").
struct PinentryDialogue: ~Copyable {
    enum Failure: Error, Equatable {
        /// While nothing was shown yet, by which step.
        case interrupted(PinentryProcess.Interruption)
        /// While the person was asked.
        case interruptedDialog(PinentryProcess.Interruption)
        /// An essential command was refused, or the dialog failed.
        case refused(UInt16)
    }

    private let prompt: PinentryPrompt
    private let terminal: PinentryTerminal
    private let rendition: Rendition
    private let replyWithin: Duration
    private var process: PinentryProcess

    init(
        _ prompt: PinentryPrompt,
        on terminal: PinentryTerminal,
        in rendition: Rendition,
        with process: consuming PinentryProcess,
        replyWithin: Duration
    ) {
        self.prompt = prompt
        self.terminal = terminal
        self.rendition = rendition
        self.process = process
        self.replyWithin = replyWithin
    }

    /// - Parameter deadline: of the person.
    mutating func run(by deadline: ContinuousClock.Instant) throws(Failure) -> PinentryAnswer {
        try expectGreeting()
        try sendOptions()
        try sendTexts()
        switch prompt.kind {
        case .secret: return try askSecret(by: deadline)
        case .confirmation, .message: return try confirm(by: deadline)
        }
    }

    /// Says farewell, which the pinentry may take as it likes.
    mutating func leave() {
        _ = try? process.send(Array("BYE\n".utf8))
    }

    mutating func waitForEnd(within patience: Duration) -> ChildProgram.Ending? {
        process.waitForEnd(within: patience)
    }

    mutating func end(within patience: Duration) -> ChildProgram.Ending {
        process.end(within: patience)
    }

    // MARK: Before the person is asked

    private mutating func expectGreeting() throws(Failure) {
        if let refusal = try outcome() { throw .refused(refusal) }
    }

    private mutating func sendOptions() throws(Failure) {
        let options = [
            ("ttyname", terminal.ttyName), ("ttytype", terminal.ttyType), ("display", terminal.display),
            ("lc-ctype", terminal.lcCtype), ("lc-messages", terminal.lcMessages),
        ]
        // A flavour refuses what it does not know.
        for case (let name, let value?) in options { _ = try command("OPTION", "\(name)=\(value)") }
        // Without it a pinentry gives a minute; without a limit, pinentry-tty does not handle interrupts.
        _ = try command("SETTIMEOUT", String(prompt.timeoutSeconds))
    }

    private mutating func sendTexts() throws(Failure) {
        _ = try text("SETTITLE", prompt.title)
        // What the person does not see, the person has not agreed to.
        if let refusal = try text("SETDESC", prompt.description) { throw .refused(refusal) }
        if let error = prompt.error { _ = try text("SETERROR", error) }
        let cancel = prompt.cancelLabel
        switch prompt.kind {
        case .secret:
            try buttons(ok: prompt.okLabel, cancel: cancel)
            _ = try text("SETPROMPT", prompt.prompt)
            if let repetition = prompt.repetition {
                _ = try text("SETREPEATERROR", repetition.mismatch)
                _ = try text("SETREPEAT", repetition.prompt)
            }
        case .confirmation:
            try buttons(ok: prompt.okLabel, cancel: cancel)
            if let label = prompt.fallbackLabel { _ = try text("SETNOTOK", label, isLabel: true) }
        case .message:
            guard let label = prompt.fallbackLabel else {
                _ = try text("SETOK", cancel, isLabel: true)
                break
            }
            // Accepting means the other way here: the button has to say so.
            if let refusal = try text("SETOK", label, isLabel: true) { throw .refused(refusal) }
            _ = try text("SETCANCEL", cancel, isLabel: true)
        }
    }

    private mutating func buttons(ok: PromptText, cancel: PromptText) throws(Failure) {
        _ = try text("SETOK", ok, isLabel: true)
        _ = try text("SETCANCEL", cancel, isLabel: true)
    }

    /// - Returns: the code of a refusal.
    private mutating func text(
        _ name: String,
        _ text: PromptText,
        isLabel: Bool = false
    ) throws(Failure) -> UInt16? {
        try command(name, rendition.text(text, of: name), isLabel: isLabel)
    }

    private mutating func command(_ name: String, _ argument: String, isLabel: Bool = false) throws(Failure) -> UInt16?
    {
        do {
            try process.send(AssuanCommand.line(name, argument, isLabel: isLabel))
        } catch { throw .interrupted(error) }
        return try outcome()
    }

    private mutating func outcome() throws(Failure) -> UInt16? {
        let deadline = ContinuousClock.now + replyWithin
        while true {
            let reply: AssuanReply
            do { reply = try process.reply(by: deadline) } catch { throw .interrupted(error) }
            switch reply {
            case .ok: return nil
            case .error(let code): return code
            case .repeated, .data, .other: break
            }
        }
    }

    // MARK: The person's turn

    private enum Decision {
        case ok(isRepeated: Bool)
        case error(UInt16)
    }

    private mutating func ask(_ command: String, by deadline: ContinuousClock.Instant) throws(Failure) -> Decision {
        do {
            try process.send(Array((command + "\n").utf8))
            var isRepeated = false
            while true {
                switch try process.reply(by: deadline) {
                case .ok: return .ok(isRepeated: isRepeated)
                case .error(let code): return .error(code)
                case .repeated: isRepeated = true
                case .data, .other: break
                }
            }
        } catch { throw .interruptedDialog(error) }
    }

    private mutating func askSecret(by deadline: ContinuousClock.Instant) throws(Failure) -> PinentryAnswer {
        while true {
            let isRepeated: Bool
            switch try ask("GETPIN", by: deadline) {
            case .ok(let repeated): isRepeated = repeated
            case .error(let code): return try answer(to: code)
            }
            let first = process.secret
            // Of nothing, no pinentry says that it was typed twice.
            guard let repetition = prompt.repetition, !isRepeated, first.count > 0 else { return .secret(first) }
            // A flavour that does not ask twice may agree to do so: pinentry-curses did until 1.2.1.
            _ = try text("SETPROMPT", repetition.prompt)
            if case .error(let code) = try ask("GETPIN", by: deadline) { return try answer(to: code) }
            if process.secret.isSame(as: first) { return .secret(first) }
            _ = try text("SETERROR", repetition.mismatch)
            _ = try text("SETPROMPT", prompt.prompt)
        }
    }

    private mutating func confirm(by deadline: ContinuousClock.Instant) throws(Failure) -> PinentryAnswer {
        let isMessage = prompt.kind == .message
        let hasFallback = prompt.fallbackLabel != nil
        let decision = try ask(isMessage && !hasFallback ? "CONFIRM --one-button" : "CONFIRM", by: deadline)
        switch decision {
        case .ok where isMessage: return hasFallback ? .fallback : .declined
        case .ok: return .accepted
        // The middle one of three buttons; with two of them, some flavours call Cancel so.
        case .error(AssuanReply.notConfirmed): return hasFallback && !isMessage ? .fallback : .declined
        case .error(let code): return try answer(to: code)
        }
    }

    private func answer(to code: UInt16) throws(Failure) -> PinentryAnswer {
        switch code {
        case AssuanReply.canceled, AssuanReply.fullyCanceled, AssuanReply.notConfirmed: return .declined
        case AssuanReply.timeout: return .timedOut
        default: throw .refused(code)
        }
    }
}
