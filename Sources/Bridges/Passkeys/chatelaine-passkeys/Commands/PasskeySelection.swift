import KeychainModel
import PasskeyProtocol
import Terminal

/// Which passkey a command is about.
enum PasskeySelection {
    /// All of them, once the owner has agreed.
    static func all(_ question: PasskeyQuestion) throws -> (passkeys: [Passkey], unreadable: Int) {
        let consent = try OwnerConsent.ofCommand(question)
        defer { withExtendedLifetime(consent) {} }
        return try PasskeyItems.passkeys(for: nil)
    }

    /// The one that a change is about. The question about the change names it, and is the only one, unless the keychain is
    /// locked.
    static func passkey(toChange text: String) throws -> Passkey {
        do {
            return try passkey(text, in: PasskeyItems.passkeys(for: nil).passkeys)
        } catch let error as KeychainError where error.code == .interactionNotAllowed {
            return try passkey(text, in: all(.manage).passkeys)
        }
    }

    /// - Parameter text: the beginning of its number, or a site that has one passkey.
    /// - Throws: where there is no such passkey, or more than one.
    static func passkey(_ text: String, in all: [Passkey]) throws -> Passkey {
        let found = all.filter { $0.site.id == text || $0.number.hasPrefix(text.lowercased()) }
        guard let first = found.first, !text.isEmpty else { throw Failure("no passkey has the number or site \(text)") }
        guard found.count == 1 else { throw Failure("\(found.count) passkeys match \(text): use the whole number") }
        return first
    }
}
