import Foundation
import SSHAgentProtocol
import Terminal

extension KeptKey {
    /// A line of `authorized_keys`, or of a file `.pub`.
    var line: String { "\(stored.publicKey.line) \(TerminalText.escaped(stored.comment.text))" }

    /// A line for people.
    var description: String {
        let comment = stored.comment.isEmpty ? "" : " \(TerminalText.escaped(stored.comment.text))"
        if let certificate = stored.publicKey.certificate {
            let end = Self.text(ofEnd: certificate.validBefore)
            return "\(stored.publicKey.fingerprint) \(stored.publicKey.algorithm) (certificate, \(end))\(comment)"
        }
        let place = stored.isInEnclave ? "Secure Enclave" : "keychain"
        let presence = stored.asksOwner ? ", asks" : ""
        return "\(stored.publicKey.fingerprint) \(stored.publicKey.algorithm) (\(place)\(presence))\(comment)"
    }

    /// - Parameter end: seconds since 1970.
    private static func text(ofEnd end: UInt64) -> String {
        // Years of more than four digits stand for no end.
        guard end < 253_402_300_800 else { return "for ever" }
        let date = Date(timeIntervalSince1970: TimeInterval(end)).ISO8601Format()
        return AgentTime.now.date < end ? "until \(date)" : "ended \(date)"
    }
}
