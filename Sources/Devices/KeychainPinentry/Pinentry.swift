import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainSystem
import Synchronization

/// Asks a person through a program that speaks pinentry's protocol, such as those of GnuPG.
///
/// One object is for one question and its repetitions: once it is cancelled, it stays so. Each question starts the
/// program anew and has it end.
package final class Pinentry: Sendable {
    package let path: String
    private let needsPlace: Bool
    private let replyWithin: Duration
    private let endWithin: Duration
    /// Signalled when the question is withdrawn; nil with no descriptor left.
    private let wake: WakeUp?
    private let isAsking = Mutex(false)

    /// - Parameters:
    ///   - path: of the program. It is trusted with secrets (`find`).
    ///   - needsPlace: whether it asks on a terminal or a display, without which it need not be started. A program of
    ///     another kind knows by itself where to ask.
    ///   - replyWithin: how long it may take for each step before the person is asked.
    ///   - endWithin: how long it may take to end, before it is killed.
    package init(
        path: String,
        needsPlace: Bool = true,
        replyWithin: Duration = .seconds(10),
        endWithin: Duration = .seconds(2)
    ) {
        self.path = path
        self.needsPlace = needsPlace
        self.replyWithin = replyWithin
        self.endWithin = endWithin
        wake = try? WakeUp()
    }

    /// Asks, and waits for the answer.
    ///
    /// - Throws: `notAvailable`, where no prompt could be shown. A person who declines, or who does not answer in time,
    ///   is no error.
    package func ask(
        _ prompt: PinentryPrompt,
        on terminal: PinentryTerminal
    ) throws(KeychainError) -> PinentryAnswer {
        guard let wake else { throw KeychainError(.notAvailable, "no descriptor to withdraw a question by") }
        guard begin() else { throw KeychainError(.notAvailable, "somebody is being asked already") }
        defer {
            isAsking.withLock { $0 = false }
            // Copying leaves the end of a secret in registers, which the next call may save below.
            clinux_wipe_stack()
        }
        let place = try usable(terminal)
        let signals = HeldSignals()
        let watched = PinentryProcess.Watched(
            wake: wake.number,
            terminal: place.saved?.descriptor ?? -1,
            signals: signals.descriptor
        )
        let result = Result { () throws(KeychainError) in
            try ask(prompt, on: place.terminal, place.saved, watching: watched)
        }
        signals.release()
        return try result.get()
    }

    private func ask(
        _ prompt: PinentryPrompt,
        on terminal: PinentryTerminal,
        _ saved: SavedTerminal?,
        watching watched: PinentryProcess.Watched
    ) throws(KeychainError) -> PinentryAnswer {
        // Longer than the program has itself: it may take the time from when its dialog is seen.
        let deadline = ContinuousClock.now + .seconds(prompt.timeoutSeconds) + Self.longerThanProgram
        var rendition = Rendition()
        while true {
            switch try askOnce(prompt, on: terminal, saved, watching: watched, in: rendition, by: deadline) {
            case .answer(let answer): return answer
            case .refused(let code):
                guard let better = rendition.improved(after: code) else { throw failure(code) }
                rendition = better
            }
        }
    }

    /// Withdraws the question, from any thread: an open dialog closes, and `ask` returns `.withdrawn`. So does each
    /// later one, so that a question is not missed that is about to be asked.
    package func cancel() {
        wake?.signal()
    }

    private static let longerThanProgram = Duration.seconds(1)

    private func begin() -> Bool {
        isAsking.withLock { isAsking in
            if isAsking { return false }
            isAsking = true
            return true
        }
    }

    /// The terminal without a name that cannot be opened.
    ///
    /// pinentry-tty says of such a terminal that the person cancelled.
    private func usable(
        _ terminal: PinentryTerminal
    ) throws(KeychainError) -> (terminal: PinentryTerminal, saved: SavedTerminal?) {
        if let saved = terminal.ttyName.flatMap({ SavedTerminal($0) }) { return (terminal, saved) }
        guard !needsPlace || terminal.display != nil || terminal.waylandDisplay != nil else {
            throw KeychainError(.notAvailable, "there is no terminal and no display to ask on")
        }
        return (terminal.withoutTTY, nil)
    }

    private enum Outcome {
        case answer(PinentryAnswer)
        case refused(UInt16)
    }

    private func askOnce(
        _ prompt: PinentryPrompt,
        on terminal: PinentryTerminal,
        _ saved: SavedTerminal?,
        watching watched: PinentryProcess.Watched,
        in rendition: Rendition,
        by deadline: ContinuousClock.Instant
    ) throws(KeychainError) -> Outcome {
        let environment = PinentryEnvironment.variables(for: terminal)
        var dialogue = PinentryDialogue(
            prompt,
            on: terminal,
            in: rendition,
            with: try PinentryProcess(path, environment: environment, watching: watched),
            replyWithin: replyWithin
        )
        do {
            let answer = try dialogue.run(by: deadline)
            leave(&dialogue, saved)
            switch answer {
            case .secret, .accepted, .fallback: break
            // The characters typed until then go to no other program.
            case .declined, .timedOut, .withdrawn: saved?.restore()
            }
            return .answer(answer)
        } catch {
            switch error {
            case .refused(let code):
                leave(&dialogue, saved)
                return .refused(code)
            case .interrupted(let interruption):
                end(&dialogue, saved)
                return .answer(try answer(to: interruption))
            case .interruptedDialog(.late):
                end(&dialogue, saved)
                return .answer(.timedOut)
            case .interruptedDialog(.ended):
                // At Ctrl-C pinentry-curses ends itself without a word, and others are ended by the signal.
                let ending = dialogue.waitForEnd(within: endWithin)
                end(&dialogue, saved)
                if ending == .status(EXIT_FAILURE) || ending == .signal(SIGINT) { return .answer(.declined) }
                return .answer(try answer(to: .ended))
            case .interruptedDialog(let interruption):
                end(&dialogue, saved)
                return .answer(try answer(to: interruption))
            }
        }
    }

    /// After an answer: the program ends by itself, or is ended.
    private func leave(_ dialogue: inout PinentryDialogue, _ saved: SavedTerminal?) {
        dialogue.leave()
        if dialogue.waitForEnd(within: endWithin) == nil { end(&dialogue, saved) }
    }

    @discardableResult
    private func end(_ dialogue: inout PinentryDialogue, _ saved: SavedTerminal?) -> ChildProgram.Ending {
        let ending = dialogue.end(within: endWithin)
        saved?.restore()
        return ending
    }

    private func answer(to interruption: PinentryProcess.Interruption) throws(KeychainError) -> PinentryAnswer {
        switch interruption {
        case .withdrawn: return .withdrawn
        case .hungUp, .signal: return .declined
        case .late: throw KeychainError(.notAvailable, "\(path), which would ask for it, does not answer")
        case .ended: throw KeychainError(.notAvailable, "\(path) ended before it had an answer")
        case .malformed: throw KeychainError(.notAvailable, "\(path) does not speak pinentry's protocol")
        }
    }

    private func failure(_ code: UInt16) -> KeychainError {
        switch code {
        case AssuanReply.windowTooSmall:
            KeychainError(.notAvailable, "the terminal is too small to ask on, or of a kind that \(path) does not know")
        case AssuanReply.localeProblem:
            KeychainError(.notAvailable, "\(path) cannot show the question in the terminal's locale")
        default: KeychainError(.notAvailable, "\(path) could not ask (error \(code) of libgpg-error)")
        }
    }
}
