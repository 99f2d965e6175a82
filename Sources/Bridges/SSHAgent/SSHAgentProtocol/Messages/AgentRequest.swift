package import KeychainModel

/// What a client asks of an agent (RFC 9987, section 3).
package enum AgentRequest: Sendable {
    case list
    case sign(SigningRequest)
    case add(NewIdentity)
    case remove(SSHPublicKey)
    case removeAll
    case lock(SecretBytes)
    case unlock(SecretBytes)
    /// Nil for one that cannot be read: nothing is known of the session then.
    case bind(SessionBind?)
    case query
    /// What this agent does not do: keys of the protocol's first version, smart cards, other extensions.
    case other

    /// Reads a whole frame.
    ///
    /// - Throws: for a request that is not as it has to be. It is answered with a failure, and the connection goes on.
    package init(_ frame: [UInt8]) throws(SSHFormatError) {
        var reader = SSHReader(frame)
        let number = try reader.byte()
        switch number {
        case 11: self = .list
        case 13: self = .sign(try SigningRequest(&reader))
        case 17: self = .add(try NewIdentity(&reader, isConstrained: false))
        case 18: self = .remove(try SSHPublicKey(try reader.string()))
        case 19: self = .removeAll
        case 22: self = .lock(try reader.secret())
        case 23: self = .unlock(try reader.secret())
        case 25: self = .add(try NewIdentity(&reader, isConstrained: true))
        case 27:
            switch try reader.text(limit: 256) {
            case "query": self = .query
            case SessionBind.extensionName:
                self = .bind(try? SessionBind(&reader))
                return
            default:
                self = .other
                return
            }
        default:
            self = .other
            return
        }
        try reader.requireEnd()
    }

    /// Whether a frame is to add a key, whatever it contains.
    package static func adds(_ frame: [UInt8]) -> Bool { frame.first == 17 || frame.first == 25 }

    /// The key, or the certificate, that it asks for a signature with.
    package var signingKey: SSHPublicKey? {
        if case .sign(let request) = self { request.key } else { nil }
    }

    /// Whether the answer depends on the keys that are stored; where it has a `signingKey`, on that one alone.
    package var asksForStoredKeys: Bool {
        switch self {
        case .list, .sign: true
        case .add, .remove, .removeAll, .lock, .unlock, .bind, .query, .other: false
        }
    }
}

/// A wish for a signature.
package struct SigningRequest: Sendable {
    package let key: SSHPublicKey
    package let data: [UInt8]
    package let flags: SignatureFlags

    init(_ reader: inout SSHReader) throws(SSHFormatError) {
        key = try SSHPublicKey(try reader.string())
        data = try reader.string()
        flags = SignatureFlags(rawValue: try reader.uint32())
    }
}

/// A key that is to be kept in memory.
package struct NewIdentity: Sendable {
    package let key: SSHPrivateKey
    package let comment: SSHComment
    package let constraints: KeyConstraints

    init(_ reader: inout SSHReader, isConstrained: Bool) throws(SSHFormatError) {
        key = try SSHPrivateKey(&reader)
        guard let comment = SSHComment(try reader.string()) else { throw SSHFormatError("a comment has a NUL") }
        self.comment = comment
        constraints = isConstrained ? try KeyConstraints(&reader) : KeyConstraints()
    }
}
