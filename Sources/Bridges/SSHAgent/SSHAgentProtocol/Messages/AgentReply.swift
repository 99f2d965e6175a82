/// What an agent answers.
package enum AgentReply: Sendable, Equatable {
    case success
    case failure
    case identities([ListedKey])
    case signature([UInt8])
    /// The extensions that there are.
    case extensions([String])

    package struct ListedKey: Sendable, Equatable {
        package let key: SSHPublicKey
        package let comment: SSHComment

        package init(key: SSHPublicKey, comment: SSHComment) {
            self.key = key
            self.comment = comment
        }
    }

    /// With its length in front. An answer that is longer than a message may be is a failure.
    package var frame: [UInt8] {
        let content = content
        var writer = SSHWriter()
        writer.string(content.count <= FrameReader.largestFrame ? content : AgentReply.failure.content)
        return writer.bytes
    }

    private var content: [UInt8] {
        var writer = SSHWriter()
        switch self {
        case .failure: writer.byte(5)
        case .success: writer.byte(6)
        case .identities(let keys):
            writer.byte(12)
            writer.uint32(UInt32(clamping: keys.count))
            for listed in keys {
                writer.string(listed.key.blob)
                writer.string(listed.comment.bytes)
            }
        case .signature(let signature):
            writer.byte(14)
            writer.string(signature)
        case .extensions(let names):
            writer.byte(29)
            writer.string("query")
            for name in names { writer.string(name) }
        }
        return writer.bytes
    }
}
