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
    /// locked, or there is no such passkey, or more than one: who is not the owner does not learn that.
    static func passkey(toChange text: String) throws -> Passkey {
        if let all = try unlocked()?.passkeys, matches(text, in: all).count == 1 { return try passkey(text, in: all) }
        return try passkey(text, in: all(.list).passkeys)
    }

    /// All of them, without a question; nil where the keychain is locked.
    static func unlocked() throws -> (passkeys: [Passkey], unreadable: Int)? {
        do throws(KeychainError) {
            return try PasskeyItems.passkeys(for: nil)
        } catch {
            guard error.code == .interactionNotAllowed else { throw error }
            return nil
        }
    }

    private static func matches(_ text: String, in all: [Passkey]) -> [Passkey] {
        let text = text.lowercased()
        guard !text.isEmpty else { return [] }
        return all.filter { $0.site.id.lowercased() == text || $0.number.hasPrefix(text) }
    }

    /// - Parameter text: the beginning of its number, or a site that has one passkey.
    /// - Throws: where there is no such passkey, or more than one.
    static func passkey(_ text: String, in all: [Passkey]) throws -> Passkey {
        let found = matches(text, in: all)
        guard let first = found.first else { throw Failure("no passkey has the number or site “\(text)”") }
        guard found.count == 1 else {
            let lines = PasskeyTable.lines(of: found).map { "\n    " + $0 }.joined()
            throw Failure("more than one passkey has the number or site “\(text)”; name one by its number:\(lines)")
        }
        return first
    }
}
