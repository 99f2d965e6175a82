import KeychainCertificates
import Testing

@testable import SSHAgentProtocol

struct KeyTests {
    private let data = Array("some data".utf8)

    private func added(_ frame: [UInt8]) throws -> NewIdentity {
        guard case .add(let new) = try AgentRequest(frame) else { throw SSHFormatError("nothing was added") }
        return new
    }

    @Test(arguments: SampleKey.Kind.allCases)
    func `a key that is added signs what its public half verifies`(kind: SampleKey.Kind) throws {
        let sample = try SampleKey(kind)
        let new = try added(sample.adding(comment: "mine"))
        #expect(new.comment == "mine")
        #expect(new.key.publicKey.blob == sample.blob)
        let signature = try new.key.signature(of: data, flags: .rsaSHA512)
        #expect(try sample.publicKey.isValid(signature, of: data))
        #expect(try !sample.publicKey.isValid(signature, of: data + [0]))
        #expect(try !SampleKey(kind).publicKey.isValid(signature, of: data))
    }

    @Test(arguments: SampleKey.Kind.allCases)
    func `a key on a curve has the hash by which a keychain finds it, and another key has none`(
        kind: SampleKey.Kind
    ) throws {
        let key = try SampleKey(kind).publicKey
        if case .ecdsa(_, let point) = key.material {
            #expect(key.pointHash == PublicKey.applicationLabel(of: point))
        } else {
            #expect(key.pointHash == nil)
        }
    }

    @Test(arguments: SampleKey.Kind.allCases)
    func `a key is the same after it was stored`(kind: SampleKey.Kind) throws {
        let sample = try SampleKey(kind)
        let key = try SSHPrivateKey(serialized: added(sample.adding()).key.serialized)
        #expect(key.publicKey.blob == sample.blob)
        #expect(try sample.publicKey.isValid(key.signature(of: data, flags: .rsaSHA256), of: data))
    }

    @Test(arguments: SampleKey.Kind.allCases)
    func `a key whose halves do not belong together is refused`(kind: SampleKey.Kind) throws {
        let (one, other) = (try SampleKey(kind), try SampleKey(kind))
        let mixed = other.blob + one.added.dropFirst(one.blob.count)
        #expect(throws: SSHFormatError.self) { try AgentRequest([17] + mixed + string("mixed")) }
    }

    @Test(arguments: SampleKey.Kind.allCases)
    func `a certificate is added with its key, and signs as the key does`(kind: SampleKey.Kind) throws {
        let key = try SampleKey(kind)
        let certificate = try SampleCertificate(of: key, by: SampleKey())
        let new = try added(certificate.adding(key))
        #expect(new.key.publicKey.blob == certificate.blob)
        #expect(new.key.publicKey.plain.blob == key.blob)
        #expect(try key.publicKey.isValid(new.key.signature(of: data, flags: .rsaSHA512), of: data))
    }

    @Test func `a certificate of another key is refused`() throws {
        let (one, other) = (try SampleKey(), try SampleKey())
        let certificate = try SampleCertificate(of: one, by: SampleKey())
        #expect(throws: SSHFormatError.self) { try AgentRequest(certificate.adding(other)) }
    }

    @Test func `an RSA key makes no signature with SHA-1, and believes none`() throws {
        let sample = try SampleKey(.rsa)
        let key = try added(sample.adding()).key
        #expect(throws: SSHFormatError.self) { try key.signature(of: data, flags: []) }
        let signature = try key.signature(of: data, flags: .rsaSHA256)
        let content = signature.dropFirst(4 + "rsa-sha2-256".utf8.count)
        #expect(try sample.publicKey.isValid(string("rsa-sha2-256") + content, of: data))
        #expect(try !sample.publicKey.isValid(string("ssh-rsa") + content, of: data))
        #expect(try !sample.publicKey.isValid(string("rsa-sha2-512") + content, of: data))
    }

    @Test func `the stronger of two digests is taken`() throws {
        let key = try added(SampleKey(.rsa).adding()).key
        let signature = try key.signature(of: data, flags: [.rsaSHA256, .rsaSHA512])
        #expect(signature.starts(with: string("rsa-sha2-512")))
    }

    @Test func `keys that are none are refused`() throws {
        let point = [UInt8](repeating: 4, count: 65)
        let small = [UInt8](repeating: 0xFF, count: 64)
        for blob in [
            [], string("ssh-dss"), string("ssh-ed25519") + string([1, 2, 3]),
            string("ecdsa-sha2-nistp256") + string("nistp384") + string(point),
            string("ecdsa-sha2-nistp256") + string("nistp256") + string(point),
            string("ecdsa-sha2-nistp256") + string("nistp256") + string([0]),
            // Too small, with a negative modulus, and with an even exponent.
            string("ssh-rsa") + mpint([3]) + mpint(small),
            string("ssh-rsa") + mpint([3]) + string(small + small + small),
            string("ssh-rsa") + mpint([2]) + mpint(small + small),
            // Larger than any.
            string("ssh-rsa") + mpint([3]) + mpint([UInt8](repeating: 0xFF, count: 4_096)),
        ] {
            #expect(throws: SSHFormatError.self) { try SSHPublicKey(blob) }
        }
    }

    @Test func `a fingerprint is of the plain key`() throws {
        let blob = try #require(Base64.decode("AAAAC3NzaC1lZDI1NTE5AAAAIN56xHqPaDyB22QCJXNaEVai6qEBtthfO0W4ZapnJCde"))
        let key = try SSHPublicKey(blob)
        // As ssh-keygen -l prints it.
        #expect(key.fingerprint == "SHA256:h/5kI1acOGGP++Uf3RPTz4jjHrevorYee1o1wFPu584")
        #expect(key.line == "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN56xHqPaDyB22QCJXNaEVai6qEBtthfO0W4ZapnJCde")
    }

    @Test func `a private key prints nothing of itself`() throws {
        let sample = try SampleKey()
        let key = try added(sample.adding()).key
        #expect("\(key)".contains("[REDACTED]"))
        #expect("\(key.serialized)" == "[REDACTED]")
    }

    @Test func `a line of a public file is a key with its comment, whatever follows it`() throws {
        let key = try SampleKey(.p256).publicKey
        for (line, comment) in [
            (key.line, ""), (key.line + " a comment", "a comment"), (key.line + "\t me\nmore", "me"),
        ] {
            let parsed = try #require(SSHPublicKey.parse(line: Array(line.utf8)))
            #expect(parsed.0 == key && parsed.comment.text == comment, "\(parsed)")
        }
        let parsed = try #require(SSHPublicKey.parse(line: Array(key.line.utf8) + [0x20, 0xFF, 0xE9]))
        #expect(parsed.comment.bytes == [0xFF, 0xE9])
    }

    @Test func `a comment is any bytes but NUL, as many as a message has`() throws {
        let sample = try SampleKey()
        for comment in [[0xFF, 0xFE, 0x80], [], [UInt8](repeating: 0x41, count: 100_000), [0x0A, 0x1B, 0x5B]] {
            let new = try added([17] + sample.added + string(comment))
            #expect(new.comment.bytes == comment)
        }
        #expect(throws: SSHFormatError.self) { try AgentRequest([17] + sample.added + string([0x41, 0, 0x42])) }
    }

    @Test func `what is no line of a public file is none`() throws {
        let key = try SampleKey(.p256).publicKey
        let blob = Base64.encode(key.blob)
        for line in [
            "", "\n", "ssh-ed25519", "ssh-ed25519 \(blob)", "ecdsa-sha2-nistp256 A\(blob)", "no-port \(key.line)",
        ] {
            #expect(SSHPublicKey.parse(line: Array(line.utf8)) == nil, "\(line)")
        }
    }
}
