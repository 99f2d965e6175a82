/// What a person is asked.
package struct PinentryPrompt: Sendable {
    package enum Kind: Sendable, Equatable {
        /// A secret is to be typed.
        case secret
        /// A question that is accepted or declined. Any user of the terminal can accept: it proves nothing about a
        /// person where the asking program named the terminal.
        case confirmation
        /// Something to be done elsewhere, such as touching a fingerprint reader; the dialog can only be closed, or
        /// left by the fallback. It is never `.accepted`.
        case message
    }

    /// A new secret is typed twice.
    package struct Repetition: Sendable {
        /// What stands before the second field.
        package var prompt: PromptText
        /// What is said where the two are not the same.
        package var mismatch: PromptText

        package init(prompt: PromptText, mismatch: PromptText) {
            self.prompt = prompt
            self.mismatch = mismatch
        }
    }

    package var kind: Kind
    /// The title of the window, where there is one: never the only place of something that matters.
    package var title: PromptText
    /// What this is about; it may have several lines.
    package var description: PromptText
    /// What stands before the field.
    package var prompt: PromptText
    /// Why the person is asked once more.
    package var error: PromptText?
    package var repetition: Repetition?
    package var okLabel: PromptText
    package var cancelLabel: PromptText
    /// A button for another way to answer. No pinentry shows one beside a field for a secret.
    package var fallbackLabel: PromptText?
    /// How long the person has: whole seconds, at most a day.
    package var timeout: Duration

    package init(
        _ kind: Kind,
        title: PromptText,
        description: PromptText,
        prompt: PromptText = "Passcode:",
        error: PromptText? = nil,
        repetition: Repetition? = nil,
        okLabel: PromptText = "OK",
        cancelLabel: PromptText = "Cancel",
        fallbackLabel: PromptText? = nil,
        timeout: Duration = .seconds(86_400)
    ) {
        self.kind = kind
        self.title = title
        self.description = description
        self.prompt = prompt
        self.error = error
        self.repetition = repetition
        self.okLabel = okLabel
        self.cancelLabel = cancelLabel
        self.fallbackLabel = fallbackLabel
        self.timeout = timeout
    }

    var timeoutSeconds: Int {
        Int(min(max(timeout, .seconds(1)), .seconds(86_400)).components.seconds)
    }
}
