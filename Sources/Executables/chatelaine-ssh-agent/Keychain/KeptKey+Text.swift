import SSHAgentProtocol
import Terminal

extension KeptKey {
    /// A line of `authorized_keys`, or of a file `.pub`.
    var line: String { "\(stored.publicKey.line) \(TerminalText.escaped(stored.comment))" }

    /// A line for people.
    var description: String {
        let place = stored.isInEnclave ? "Secure Enclave" : "keychain"
        let presence = stored.asksOwner ? ", asks" : ""
        let comment = stored.comment.isEmpty ? "" : " \(TerminalText.escaped(stored.comment))"
        return "\(stored.publicKey.fingerprint) \(stored.publicKey.algorithm) (\(place)\(presence))\(comment)"
    }
}
