/// A signature that the rules allow. What is left is to ask the person, where the key demands it, and to compute.
package struct SigningOrder: Sendable {
    package enum Key: Sendable {
        /// Kept in memory; the person is asked where that was demanded.
        case memory(SSHPrivateKey, comment: String, needsConfirmation: Bool)
        case stored(StoredKey)
    }

    package let key: Key
    package let data: [UInt8]
    package let flags: SignatureFlags
    package let purpose: SigningPurpose
    package let path: SessionPath
}

extension SigningOrder {
    /// What the person is told that the signature is for: who asks comes first, and what others have named is cut, each
    /// part by itself, so that no part pushes another out of sight.
    ///
    /// The host is the one that the signed data name, since no other takes the signature. That a session was bound to a
    /// host says nothing of that: whoever has the key of any host can have it sign any session's identifier.
    ///
    /// - Parameter name: the name of the host with a key; nil where it is not known.
    package func reason(name: (SSHPublicKey) -> String?) -> String {
        let said: String =
            switch purpose {
            case .logIn(let logIn): "log in to \(host(of: logIn, name)) as \(Self.cut(logIn.user))"
            case .text(let namespace, _):
                switch namespace {
                case "git": "sign a commit or a tag (namespace git)"
                case "file": "sign a file (namespace file)"
                default: "sign a message (namespace \(Self.cut(namespace)))"
                }
            case .unknown: "sign data of an unknown kind"
            }
        let forwarders = path.forwarders
        guard let last = forwarders.last else { return said }
        let others = forwarders.count > 1 ? " behind \(forwarders.count - 1) more" : ""
        return "asked from \(name(last).map(Self.cut) ?? last.fingerprint)\(others): \(said)"
    }

    private func host(of logIn: SigningPurpose.LogIn, _ name: (SSHPublicKey) -> String?) -> String {
        guard let key = logIn.hostKey.flatMap({ try? SSHPublicKey($0) }) else { return "an unknown host" }
        guard let name = name(key) else { return "the host with the key \(key.fingerprint)" }
        // Beside the name, which is another file's word.
        return "\(Self.cut(name)) (\(key.fingerprint))"
    }

    /// A prompt shows 240 characters of a reason, and 260 bytes.
    private static func cut(_ text: String) -> String {
        var (part, rest) = ("", text[...])
        while let next = rest.popFirst() {
            guard part.count < longestPart, part.utf8.count + next.utf8.count <= longestPart else { return part + "…" }
            part.append(next)
        }
        return part
    }

    private static let longestPart = 48
}
