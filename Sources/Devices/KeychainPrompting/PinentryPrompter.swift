import Dispatch
package import EnclaveInterface
package import KeychainModel
package import KeychainPinentry
import Synchronization

/// Shows prompts by a pinentry, and brings what is typed to the desk.
package final class PinentryPrompter: Prompter {
    private let path: String
    private let needsPlace: Bool
    private let terminal: PinentryTerminal
    private let desk: @Sendable () throws(KeychainError) -> any PromptDesk
    /// One thread waits for each prompt; of a user there is one prompt at a time.
    private static let waiting = DispatchQueue(label: "chatelaine.prompts", attributes: .concurrent)
    /// What is shown, by question.
    private let shown = Mutex<[ItemUUID: [Pinentry]]>([:])

    /// - Parameters:
    ///   - path: the pinentry; nil for the system's (`Pinentry.find`). One that somebody has chosen may know by itself
    ///     where to ask, without a terminal and a display.
    ///   - terminal: where a program is asked for that names no place of its own.
    ///   - desk: where answers go.
    /// - Throws: `notAvailable` where the system has none.
    package init(
        path: String?,
        terminal: PinentryTerminal = .ofThisProcess,
        desk: @escaping @Sendable () throws(KeychainError) -> any PromptDesk
    ) throws(KeychainError) {
        guard let program = path ?? Pinentry.find() else {
            throw KeychainError(.notAvailable, "there is no pinentry; install one, such as pinentry-curses")
        }
        self.path = program
        needsPlace = path == nil
        self.terminal = terminal
        self.desk = desk
    }

    package func show(_ prompt: Prompt) {
        let pinentry = Pinentry(path: path, needsPlace: needsPlace)
        let before = shown.withLock { shown in
            let before = shown[prompt.question] ?? []
            shown[prompt.question, default: []].append(pinentry)
            return before
        }
        // Nothing was typed there: it said less than this one does.
        if prompt.hint != nil { for pinentry in before { pinentry.cancel() } }
        Self.waiting.async { [self] in
            run(prompt, by: pinentry)
            shown.withLock { shown in
                shown[prompt.question]?.removeAll { $0 === pinentry }
                if shown[prompt.question]?.isEmpty == true { shown[prompt.question] = nil }
            }
        }
    }

    package func withdraw(_ question: ItemUUID) {
        for pinentry in shown.withLock({ $0[question] ?? [] }) { pinentry.cancel() }
    }

    // MARK: - One prompt

    private func run(_ prompt: Prompt, by pinentry: Pinentry) {
        var question = PinentryPrompt(prompt)
        let place = prompt.wishes.terminal.map(PinentryTerminal.init) ?? terminal
        while true {
            do throws(KeychainError) {
                switch try pinentry.ask(question, on: place.isEmpty ? terminal : place) {
                case .secret(let secret):
                    guard let error = try answer(prompt, secret) else { return }
                    question.error = error
                case .declined: return decline(prompt, because: .declined)
                case .fallback: return decline(prompt, because: .fallback)
                case .timedOut: return decline(prompt, because: .interrupted)
                // Any user of the terminal can accept: that proves nothing, and no prompt asks for it.
                case .accepted: return decline(prompt, because: .failed)
                case .withdrawn: return
                }
            } catch {
                return decline(prompt, because: .nobodyToAsk)
            }
        }
    }

    /// - Returns: what to say before the person is asked once more; nil if they are not.
    private func answer(_ prompt: Prompt, _ secret: SecretBytes) throws(KeychainError) -> PromptText? {
        let desk = try desk()
        do throws(KeychainError) {
            switch prompt.wish.entry {
            case .verified(_, let wrong):
                return try desk.answer(prompt.question, typed: secret) == .wrong ? wrong : nil
            case .password:
                _ = try desk.answer(prompt.question, password: secret)
                return nil
            case .notTyped: return nil
            }
        } catch {
            guard error.code == .invalidParameter else { throw error }
            return "That is no password that can be used."
        }
    }

    private func decline(_ prompt: Prompt, because failure: PresenceFailure) {
        // A desk that is gone has forgotten the question.
        try? desk().decline(prompt.question, because: failure, of: .typing)
    }
}
