import FuzzSupport

@testable import KeychainModel
@testable import SSHAgentProtocol

/// What programs say to the ssh agent, the file `known_hosts`, and the item that a private key is kept in.
///
/// The first byte chooses what the others are. Files of the corpus whose names begin with `openssh` are what OpenSSH's own
/// programs have sent.
@main
enum FuzzSshAgent: FuzzTarget {
    static func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let options = source.byte()
        var agent = FuzzedAgent(
            keychainHasKeys: options & 4 != 0,
            areInEnclave: options & 8 != 0,
            ask: options & 16 != 0
        )
        switch options & 3 {
        case 0: stream(source.rest(), to: &agent, inPiecesOf: options & 32 == 0 ? .max : 3)
        case 1:
            var script = AgentScript(source)
            while let step = script.next() { agent.take(step) }
        case 2: knownHosts(source.rest())
        default: privateKey(source.rest())
        }
    }

    /// Frames as they come over a socket. A length of zero, which ends a connection, begins the next one.
    private static func stream(_ bytes: [UInt8], to agent: inout FuzzedAgent, inPiecesOf size: Int) {
        var rest = bytes[...]
        var reader = FrameReader()
        while !rest.isEmpty {
            let wanted = min(reader.wanted, size, rest.count)
            require(wanted > 0, "a stream that goes on is read")
            let piece = rest.prefix(wanted)
            rest = rest.dropFirst(wanted)
            do {
                guard let frame = try reader.receive(piece) else { continue }
                require(!frame.isEmpty && frame.count <= FrameReader.largestFrame, "a frame has a possible length")
                require(!reader.isInsideFrame, "after a frame the next one begins")
                agent.take(.frame(frame))
            } catch {
                agent.take(.connect)
                reader = FrameReader()
            }
        }
    }

    private static func knownHosts(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let hosts = KnownHosts(text)
        for field in text.split(whereSeparator: \.isWhitespace).prefix(64) {
            guard let blob = Base64.decode(field), let key = try? SSHPublicKey(blob), let name = hosts.name(of: key)
            else { continue }
            require(!name.isEmpty && text.contains(name), "a host has a name out of the file")
            require(!name.contains { " \t,*?!".contains($0) || $0.isNewline }, "a host's name is one name")
        }
    }

    private static func privateKey(_ bytes: [UInt8]) {
        guard let key = try? SSHPrivateKey(serialized: SecretBytes(bytes)) else { return }
        FuzzedAgent.requireUsable(key)
    }

    static func seeds() throws -> [String: [UInt8]] {
        let blob = ScriptKey(1).blob
        let hosts = "# names\nhost.example,10.0.0.1 ssh-ed25519 \(Base64.encode(blob)) a comment\n"
        return [
            "script-keys": [1, 1, 1, 0, 1, 2, 3, 5, 5, 6, 1, 5, 7, 5],
            "script-lock": [1, 1, 1, 0, 8, 1, 5, 4, 1, 0, 9, 2, 9, 1, 5],
            "script-lifetime": [1, 1, 1, 1, 9, 5, 11, 255, 255, 5],
            "script-restricted": [1, 1, 1, 4, 0, 0, 0, 1, 2, 1, 1, 0, 3, 1, 1, 1, 2, 5],
            "script-forwarded": [
                1, 1, 1, 4, 1, 0, 0, 1, 2, 1, 2, 2, 1, 1, 1, 2, 2, 2, 0, 3, 1, 2, 1, 3, 5,
            ],
            "script-forwarded-enclave": [1 | 4 | 8, 2, 1, 1, 1, 2, 2, 2, 0, 3, 2, 2, 1, 3],
            "script-asks": [1 | 4 | 8 | 16, 2, 1, 1, 1, 2, 2, 2, 0, 3, 2, 2, 1, 3],
            "script-text": [1 | 4 | 8, 4, 1, 0, 4, 1, 1, 4, 1, 2],
            "stored-ed25519": [3] + Array(ScriptKey(1).added),
            "known-hosts": [2] + Array(hosts.utf8),
        ]
    }
}
