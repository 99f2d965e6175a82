package import KeychainModel

/// What the owner of a keychain is asked, for a program.
package struct PresenceQuestion: Sendable {
    /// The program that asks, as the keychain service names it.
    package let asker: AskerClaim
    package let demand: PresenceDemand
    package let password: PasswordWish
    package let prompt: PromptWishes
    /// What the proof is to be good for.
    package let scope: PresenceScope
    /// Whether what was given last was wrong.
    package let isRepeated: Bool
    /// For how long an unlock of the session with a finger does for a finger.
    package let reuse: UnlockReuse

    /// - Parameter prompt: of which as much is kept as a prompt has room for.
    package init(
        of asker: AskerClaim,
        _ demand: PresenceDemand,
        password: PasswordWish = .none,
        prompt: PromptWishes = PromptWishes(),
        for scope: PresenceScope,
        isRepeated: Bool = false,
        reuse: UnlockReuse = .none
    ) {
        self.asker = asker
        self.demand = demand
        self.password = password
        self.prompt = prompt.limited
        self.scope = scope
        self.isRepeated = isRepeated
        self.reuse = reuse
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
    func prefix(utf8Bytes most: Int) -> String {
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
    /// The connection that the request came over, by the number that the enclave has given it; 0 within a process. No
    /// message has it: the receiver of the request fills it in.
    package var connection: UInt64 = 0

    package static let mostProofs = 16

    package init(applicationPassword: ApplicationPassword? = nil, proofs: [PresenceProof] = []) {
        self.applicationPassword = applicationPassword
        self.proofs = proofs
    }

    package static let none = ItemCredentials()

    package var isEmpty: Bool { applicationPassword == nil && proofs.isEmpty }
}
