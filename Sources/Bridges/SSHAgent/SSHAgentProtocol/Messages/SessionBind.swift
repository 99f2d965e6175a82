/// What ssh says of a connection: which session it is used for, and which host is at the other end (OpenSSH's
/// PROTOCOL.agent, section 1).
package struct SessionBind: Sendable {
    static let extensionName = "session-bind@openssh.com"

    /// Nil for one of a kind, or a size, that is not known here.
    let hostKey: SSHPublicKey?
    let sessionIdentifier: [UInt8]
    let isForwarding: Bool
    private let signature: [UInt8]

    init(_ reader: inout SSHReader) throws(SSHFormatError) {
        let blob = try reader.string()
        hostKey = try? SSHPublicKey(blob)
        sessionIdentifier = try reader.string()
        guard (1...Self.longestIdentifier).contains(sessionIdentifier.count) else {
            throw SSHFormatError("a session has no identifier of this length")
        }
        signature = try reader.string()
        isForwarding = try reader.boolean()
        try reader.requireEnd()
    }

    /// In bytes. It is a digest.
    private static let longestIdentifier = 128

    enum Verdict {
        /// The host has signed that the session is one with it.
        case signed(SSHPublicKey)
        case forged
        /// It cannot be told: old hosts have keys that are too small, or sign with SHA-1.
        case unknown
    }

    var verdict: Verdict {
        guard let hostKey else { return .unknown }
        if hostKey.isValid(signature, of: sessionIdentifier) { return .signed(hostKey) }
        var reader = SSHReader(signature)
        let isOld = (try? reader.text(limit: 64)) == "ssh-rsa"
        if case .rsa = hostKey.material, isOld { return .unknown }
        return .forged
    }
}
