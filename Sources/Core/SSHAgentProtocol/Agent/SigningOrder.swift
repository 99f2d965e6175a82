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
    /// What the person is told that the signature is for.
    ///
    /// - Parameter name: the name of the host with a key; nil where it is not known.
    package func reason(name: (SSHPublicKey) -> String?) -> String {
        let said: String =
            switch purpose {
            case .logIn(let logIn): "log in to \(host(of: logIn, name)) as \(logIn.user)"
            case .text(let namespace, _):
                switch namespace {
                case "git": "sign a commit or a tag (namespace git)"
                case "file": "sign a file (namespace file)"
                default: "sign a message (namespace \(namespace))"
                }
            case .unknown: "sign data of an unknown kind"
            }
        guard path.isForwarded else { return said }
        let hosts = path.forwarders.map { name($0) ?? $0.fingerprint }
        return said + ", asked from \(hosts.joined(separator: ", "))"
    }

    private func host(of logIn: SigningPurpose.LogIn, _ name: (SSHPublicKey) -> String?) -> String {
        let bound = path.steps.last { $0.sessionIdentifier == logIn.sessionIdentifier }?.hostKey
        guard let key = logIn.hostKey.flatMap({ try? SSHPublicKey($0) }) ?? bound else { return "an unknown host" }
        return name(key) ?? "the host with the key \(key.fingerprint)"
    }
}
