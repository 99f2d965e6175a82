/// What ssh says of a connection: which session it is used for, and which host is at the other end (OpenSSH's
/// PROTOCOL.agent, section 1).
package struct SessionBind: Sendable {
    static let extensionName = "session-bind@openssh.com"

    let hostKey: SSHPublicKey
    let sessionIdentifier: [UInt8]
    let isForwarding: Bool
    private let signature: [UInt8]

    init(_ reader: inout SSHReader) throws(SSHFormatError) {
        hostKey = try SSHPublicKey(try reader.string())
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

    /// Whether the host has signed that the session is one with it.
    var isSignedByHost: Bool { hostKey.isValid(signature, of: sessionIdentifier) }
}
