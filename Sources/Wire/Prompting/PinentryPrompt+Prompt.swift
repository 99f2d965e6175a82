import KeychainEnclave
import KeychainModel
import Pinentry

extension PinentryPrompt {
    /// The words of a prompt. Names and reasons are somebody else's: they stand in quotation marks, on lines of their own,
    /// and what is ours comes first.
    init(_ prompt: Prompt) {
        self.init(
            prompt.wish == .notice ? .message : .secret,
            title: "Keychain",
            description: Self.description(of: prompt),
            prompt: prompt.wish == .passcode ? "Passcode:" : "Password:",
            error: prompt.hint.map(Self.text) ?? (prompt.isRepeated ? "Wrong password." : nil),
            repetition: prompt.wish == .newPassword
                ? Repetition(prompt: "Repeat:", mismatch: "The two are not the same.") : nil,
            cancelLabel: PromptText(foreignTitle: prompt.wishes.cancelTitle) ?? "Cancel",
            fallbackLabel: prompt.wish == .notice ? PromptText(foreignTitle: prompt.wishes.fallbackTitle) : nil,
            timeout: PresenceDesk.patience
        )
    }

    private static func text(of hint: FingerHint) -> PromptText {
        switch hint {
        case .retry: "That was not read. Try once more."
        case .swipeTooShort: "That was too short. Swipe once more."
        case .notCentered: "The finger was not in the middle. Try once more."
        case .removeAndRetry: "Take the finger away, and try once more."
        case .notRecognised: "That finger is not known here. Try once more."
        }
    }

    private static func description(of prompt: Prompt) -> PromptText {
        let name = prompt.asker.name
        let who: PromptText =
            prompt.asker.isVerified
            ? "The program “\(name)” wants to use your keychain."
            : "A program that nobody vouches for wants to use your keychain; it is called “\(name)”."
        let reason = PromptText(foreign: prompt.wishes.reason, limit: .sentence)
        let why: PromptText = reason == "" ? who : "\(who)\nIt says: “\(reason)”"
        let how: PromptText =
            switch prompt.wish {
            case .passcode where prompt.biometryIsEnough:
                "Touch the fingerprint reader, or type the keychain's passcode."
            case .passcode: "Type the keychain's passcode to allow it."
            case .password: "Type the item's own password."
            case .newPassword: "Type a password for the new item. It will be needed each time."
            case .notice, .biometry: "Touch the fingerprint reader to allow it."
            }
        return "\(why)\n\(how)"
    }
}

extension PromptText {
    fileprivate init?(foreignTitle title: String?) {
        guard let title else { return nil }
        let text = PromptText(foreign: title, limit: .label)
        guard text != "" else { return nil }
        self = text
    }
}

extension PinentryTerminal {
    /// Of what is no name of a terminal or a display, nothing is left.
    init(_ terminal: PromptTerminal) {
        self.init(
            ttyName: terminal.name,
            ttyType: terminal.type,
            display: terminal.display,
            waylandDisplay: terminal.waylandDisplay,
            lcCtype: terminal.locale,
            lcMessages: terminal.locale
        )
    }

    var isEmpty: Bool { ttyName == nil && display == nil && waylandDisplay == nil }
}
