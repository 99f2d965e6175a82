import Crypto
import FuzzSupport

@testable import SSHAgentProtocol

/// A key whose private half the fuzzer knows: libFuzzer cannot guess a signature.
struct ScriptKey {
    private let key: Curve25519.Signing.PrivateKey
    let blob: [UInt8]

    init(_ number: UInt8) {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: number, count: 32))
        else { fatalError("any 32 bytes are a key") }
        self.key = key
        var writer = SSHWriter()
        writer.string("ssh-ed25519")
        writer.string(Array(key.publicKey.rawRepresentation))
        blob = writer.bytes
    }

    /// The key as a request has it that adds it.
    var added: [UInt8] {
        var writer = SSHWriter()
        writer.string(Array(key.rawRepresentation) + Array(key.publicKey.rawRepresentation))
        return blob + writer.bytes
    }

    func signature(of data: [UInt8]) -> [UInt8] {
        var writer = SSHWriter()
        writer.string("ssh-ed25519")
        writer.string((try? key.signature(for: data)).map { Array($0) } ?? [])
        return writer.bytes
    }
}

/// What happens to an agent.
enum AgentStep {
    /// A new connection, which the frames after it come over.
    case connect
    /// Back to an older one.
    case goBack(UInt8)
    case frame([UInt8])
    /// Milliseconds pass.
    case wait(UInt64)
}

/// Requests that are whole and rightly signed, of which the bytes choose kind, keys, hosts and order.
struct AgentScript {
    private var source: ByteSource
    private static let keys = (1...4).map { ScriptKey($0) }
    private static let hosts = (11...14).map { ScriptKey($0) }
    private static let names = ["", "a", "b*", "c"]

    init(_ source: ByteSource) {
        self.source = source
    }

    /// - Returns: nil at the end.
    mutating func next() -> AgentStep? {
        guard !source.isAtEnd else { return nil }
        var writer = SSHWriter()
        switch source.byte() % 14 {
        case 0: return .connect
        case 1: add(&writer)
        case 2: bind(&writer)
        case 3: logIn(&writer)
        case 4: signOther(&writer)
        case 5: writer.byte(11)
        case 6:
            writer.byte(18)
            writer.string(source.choice(of: Self.keys).blob)
        case 7: writer.byte(19)
        case 8:
            writer.byte(22)
            writer.string([source.byte() % 4])
        case 9:
            writer.byte(23)
            writer.string([source.byte() % 4])
        case 10: return .goBack(source.byte())
        case 11: return .wait(UInt64(source.byte()) << 8 | UInt64(source.byte()))
        case 12: return .wait(source.number())
        default: return .frame([source.byte()] + source.shortBytes())
        }
        return .frame(writer.bytes)
    }

    private mutating func add(_ writer: inout SSHWriter) {
        let key = source.choice(of: Self.keys)
        let choice = source.byte()
        writer.byte(choice & 7 == 0 ? 17 : 25)
        let head = writer.bytes + key.added
        writer = SSHWriter()
        writer.string("a key")
        if choice & 1 != 0 {
            writer.byte(1)
            writer.uint32(UInt32(source.byte()))
        }
        if choice & 2 != 0 { writer.byte(2) }
        if choice & 4 != 0 {
            var list = SSHWriter()
            for _ in 0...(source.byte() % 3) { list.string(destination()) }
            writer.byte(255)
            writer.string("restrict-destination-v00@openssh.com")
            writer.string(list.bytes)
        }
        let tail = writer.bytes
        writer = SSHWriter()
        for byte in head + tail { writer.byte(byte) }
    }

    private mutating func destination() -> [UInt8] {
        var writer = SSHWriter()
        let start = source.byte() % 5
        writer.string(hop(user: "", host: start == 0 ? nil : start - 1))
        writer.string(hop(user: source.choice(of: Self.names), host: source.byte() % 4))
        writer.string([UInt8]())
        return writer.bytes
    }

    private func hop(user: String, host: UInt8?) -> [UInt8] {
        var writer = SSHWriter()
        writer.string(user)
        writer.string(host.map { "host\($0)" } ?? "")
        writer.string([UInt8]())
        if let host {
            writer.string(Self.hosts[Int(host)].blob)
            writer.byte(0)
        }
        return writer.bytes
    }

    private func session(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number % 4, count: 32) }

    private mutating func bind(_ writer: inout SSHWriter) {
        let host = source.choice(of: Self.hosts)
        let session = session(source.byte())
        let choice = source.byte()
        writer.byte(27)
        writer.string("session-bind@openssh.com")
        writer.string(host.blob)
        writer.string(session)
        // Now and then by another host.
        writer.string((choice & 0xF0 == 0xF0 ? Self.hosts[0] : host).signature(of: session))
        writer.byte(choice & 1)
    }

    private mutating func logIn(_ writer: inout SSHWriter) {
        let key = source.choice(of: Self.keys)
        var data = SSHWriter()
        data.string(session(source.byte()))
        data.byte(50)
        data.string(source.choice(of: Self.names))
        data.string("ssh-connection")
        let host = source.byte() % 5
        data.string(host == 0 ? "publickey" : "publickey-hostbound-v00@openssh.com")
        data.byte(1)
        data.string("ssh-ed25519")
        data.string(key.blob)
        if host > 0 { data.string(Self.hosts[Int(host) - 1].blob) }
        sign(data.bytes, with: key, &writer)
    }

    private mutating func signOther(_ writer: inout SSHWriter) {
        let key = source.choice(of: Self.keys)
        switch source.byte() % 3 {
        case 0: sign(source.shortBytes(), with: key, &writer)
        case 1:
            var data = SSHWriter()
            data.string("git")
            data.string([UInt8]())
            data.string("sha512")
            data.string([UInt8](repeating: 7, count: 64))
            sign(Array("SSHSIG".utf8) + data.bytes, with: key, &writer)
        default: sign(Array("SSHSIG".utf8) + source.shortBytes(), with: key, &writer)
        }
    }

    private func sign(_ data: [UInt8], with key: ScriptKey, _ writer: inout SSHWriter) {
        writer.byte(13)
        writer.string(key.blob)
        writer.string(data)
        writer.uint32(0)
    }
}
