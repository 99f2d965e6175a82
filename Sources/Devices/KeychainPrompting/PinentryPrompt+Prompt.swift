import EnclaveDesk
import EnclaveInterface
import KeychainModel
import KeychainPinentry

extension PinentryPrompt {
    /// The words of a prompt. Names and reasons are foreign text: they stand in quotation marks, on lines of their own,
    /// and what is ours comes first.
    init(_ prompt: Prompt) {
        self.init(
            prompt.wish == .notice ? .message : .secret,
            title: "Keychain",
            description: Self.description(of: prompt),
            prompt: prompt.wish.entry.label,
            error: prompt.isRepeated ? "Wrong password." : nil,
            repetition: prompt.wish == .newPassword
                ? Repetition(prompt: "Repeat:", mismatch: "The two are not the same.") : nil,
            cancelLabel: PromptText(foreignTitle: prompt.wishes.cancelTitle) ?? "Cancel",
            fallbackLabel: prompt.wish == .notice ? PromptText(foreignTitle: prompt.wishes.fallbackTitle) : nil,
            timeout: PresenceDesk.patience
        )
    }

    private static func text(of hint: ReaderHint) -> PromptText {
        switch hint {
        case .retry: "That was not read. Try once more."
        case .swipeTooShort: "That was too short. Swipe once more."
        case .notCentered: "The finger was not in the middle. Try once more."
        case .removeAndRetry: "Take the finger away, and try once more."
        case .notRecognised: "That finger is not known here. Try once more."
        }
    }

    private static let ofView: PromptText =
        "It wants to see what is in the whole keychain for ten minutes: names, accounts and notes, but no passwords."

    private static func description(of prompt: Prompt) -> PromptText {
        let reason = PromptText(foreign: prompt.wishes.reason, limit: .reason)
        let who = PromptText(prompt.asker, wanting: prompt.groups)
        let what = prompt.isForView ? Self.ofView : PromptText(groups: prompt.groups)
        let whom: PromptText = what == "" ? who : "\(who)\n\(what)"
        let why: PromptText = reason == "" ? whom : "\(whom)\nIt says: “\(reason)”"
        let readers = PromptText(touching: prompt.readable)
        let how: PromptText =
            switch prompt.wish {
            case .passcode where prompt.readable != [] && prompt.unlocks:
                "The keychain is locked. \(readers) to allow this, or type the passcode to unlock it too."
            case .passcode where prompt.readable != []: "\(readers), or type the keychain's passcode."
            case .passcode where prompt.unlocks:
                "The keychain is locked. Type its passcode to unlock it and allow this."
            case .passcode: "Type the keychain's passcode to allow it."
            case .password: "Type the item's own password."
            case .newPassword: "Type a password for the new item. It will be needed each time."
            case .notice, .proof: "\(readers) to allow it."
            }
        // As an error, pinentry-curses would not show it where nothing is typed.
        guard let hint = prompt.hint else { return "\(why)\n\(how)" }
        return "\(why)\n\(how)\n\n\(Self.text(of: hint))"
    }
}

extension PromptText.Limit {
    // Together they leave room for what is ours, in one line of pinentry's protocol.
    fileprivate static let path = PromptText.Limit(characters: 64, bytes: 140)
    fileprivate static let said = PromptText.Limit(characters: 48, bytes: 72)
    fileprivate static let group = PromptText.Limit(characters: 48, bytes: 56)
    fileprivate static let reason = PromptText.Limit(characters: 240, bytes: 260)
}

extension PromptText {
    /// The asking program. A name from chatelaine-identify is shown as it is; a name that it has from the service
    /// alone is the service's word.
    fileprivate init(_ asker: AskerDescription, wanting groups: [String]) {
        let who: PromptText
        switch asker.standing {
        case .verified:
            self = "The program “\(asker.name)” wants to use your keychain."
            return
        case .unverified:
            self = "A program that nobody vouches for wants to use your keychain; it is called “\(asker.name)”."
            return
        case .installed: who = "The program “\(asker.path, limit: .path)” wants to use your keychain."
        case .notInstalled:
            who = "A program that is not installed wants to use your keychain: “\(asker.path, limit: .path)”."
        }
        // A program without a signature is called by its path or digest, as its group is.
        let isSaid = groups == [asker.name] || [asker.path, "program." + asker.path].contains(asker.name)
        self = isSaid ? who : "\(who)\nThe keychain service calls it “\(asker.name, limit: .said)”."
    }

    /// What a person does at a reader.
    fileprivate init(touching factors: PresenceFactors) {
        let names = factors.each.compactMap { Self.readers[$0] }
        self = names.dropFirst().reduce("Touch \(names.first ?? "a reader")") { "\($0) or \($1)" }
    }

    private static let readers: [PresenceFactors: PromptText] = [.biometry: "the fingerprint reader"]

    /// What the proof will open.
    fileprivate init(groups: [String]) {
        guard let first = groups.first else {
            self = ""
            return
        }
        if groups.contains("*") {
            self = "It wants items of all groups."
        } else if groups.count == 1 {
            self = "It wants items of the group “\(first, limit: .group)”."
        } else {
            let list: PromptText = groups.dropFirst().reduce("“\(first, limit: .group)”") { list, group in
                "\(list), “\(group, limit: .group)”"
            }
            self = "It wants items of the groups \(list)."
        }
    }

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

/// What the desk does with the secret that a person types for a wish.
enum PromptEntry {
    /// The desk verifies it.
    case verified(label: PromptText, wrong: PromptText)
    /// The desk keeps it for the item.
    case password
    case notTyped

    fileprivate var label: PromptText {
        if case .verified(let label, _) = self { label } else { "Password:" }
    }
}

extension Prompt.Wish {
    var entry: PromptEntry {
        switch self {
        case .passcode: .verified(label: "Passcode:", wrong: "Wrong passcode.")
        case .password, .newPassword: .password
        case .notice, .proof: .notTyped
        }
    }
}
