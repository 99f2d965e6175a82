package import KeychainModel

/// A program, as a person is told of it.
package struct Asker: Sendable, Hashable {
    /// What its signature says, or what stands for it.
    package let name: String
    /// Whether the name was verified.
    package let isVerified: Bool

    /// In bytes of UTF-8; the rest is cut off.
    package static let longestName = 256

    package init(name: String, isVerified: Bool) {
        self.name = name.prefix(utf8Bytes: Self.longestName)
        self.isVerified = isVerified
    }
}

/// What the owner of a keychain is asked, for a program.
package struct PresenceQuestion: Sendable {
    package let asker: Asker
    package let demand: PresenceDemand
    package let password: PasswordWish
    package let prompt: PromptWishes
    /// The items that the proof is to be good for, once; nil for all, for as long as the proof is kept.
    package let items: Set<ItemUUID>?
    /// Whether what was given last was wrong.
    package let isRepeated: Bool

    package static let mostItems = 256

    /// - Parameters:
    ///   - prompt: of which as much is kept as a prompt has room for.
    ///   - items: at most 256.
    package init(
        of asker: Asker,
        _ demand: PresenceDemand,
        password: PasswordWish = .none,
        prompt: PromptWishes = PromptWishes(),
        items: Set<ItemUUID>?,
        isRepeated: Bool = false
    ) {
        self.asker = asker
        self.demand = demand
        self.password = password
        self.prompt = prompt.limited
        self.items = items
        self.isRepeated = isRepeated
    }
}

extension PromptWishes {
    /// In bytes of UTF-8.
    package static let longestReason = 1_024
    package static let longestTitle = 64
    package static let longestTerminalField = 128

    fileprivate var limited: PromptWishes {
        var limited = self
        limited.reason = reason.prefix(utf8Bytes: Self.longestReason)
        limited.cancelTitle = cancelTitle?.prefix(utf8Bytes: Self.longestTitle)
        limited.fallbackTitle = fallbackTitle?.prefix(utf8Bytes: Self.longestTitle)
        if var terminal = limited.terminal {
            // Half a name is another one.
            for field in [
                \PromptTerminal.name, \.type, \.display, \.waylandDisplay, \.locale,
            ] as [WritableKeyPath<PromptTerminal, String>]
            where terminal[keyPath: field].utf8.count > Self.longestTerminalField { terminal[keyPath: field] = "" }
            limited.terminal = terminal
        }
        return limited
    }
}

extension String {
    /// The longest beginning, in whole scalars, that has at most so many bytes of UTF-8.
    fileprivate func prefix(utf8Bytes most: Int) -> String {
        guard utf8.count > most else { return self }
        var bytes = 0
        let scalars = unicodeScalars.prefix { scalar in
            bytes += UTF8.width(scalar)
            return bytes <= most
        }
        return String(scalars)
    }
}

/// What comes with a request for item keys.
package struct ItemCredentials: Sendable {
    package var applicationPassword: ApplicationPassword?
    package var proofs: [PresenceProof]

    package static let mostProofs = 16

    package init(applicationPassword: ApplicationPassword? = nil, proofs: [PresenceProof] = []) {
        self.applicationPassword = applicationPassword
        self.proofs = proofs
    }

    package static let none = ItemCredentials()

    package var isEmpty: Bool { applicationPassword == nil && proofs.isEmpty }
}
