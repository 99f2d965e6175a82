import KeychainModel
import SSHAgentProtocol
import Terminal

/// Which of the stored keys a command is about.
enum KeySelection {
    /// - Parameter text: a fingerprint, or a comment that one key alone has; nil for the only key.
    /// - Throws: where it is none, or more than one.
    static func key(_ text: String?) throws -> KeptKey {
        let keys = try storedKeys().keys
        guard let text else {
            guard let only = keys.first else { throw Failure("there is no ssh key in the keychain") }
            guard keys.count == 1 else {
                throw Failure("there are \(keys.count) keys: name one by its fingerprint or comment")
            }
            return only
        }
        let named = keys.filter { $0.stored.publicKey.fingerprint == text || $0.stored.comment.text == text }
        guard let first = named.first else { throw Failure("no ssh key in the keychain is called \(text)") }
        guard named.count == 1 else { throw Failure("\(named.count) keys are called \(text): use the fingerprint") }
        return first
    }

    /// All that can be used now, with their certificates; none where there is no keychain yet.
    static func storedKeys() throws(KeychainError) -> FoundKeys {
        do throws(KeychainError) {
            let (found, isLocked) = try AgentKeychain.usableKeys()
            if isLocked { AgentTool.complain(AgentKeychain.lockedAdvice) }
            return found
        } catch {
            guard error.code == .itemNotFound else { throw error }
            return FoundKeys()
        }
    }
}
