import Testing

@testable import SSHAgentProtocol

/// What data say that they are.
struct PurposeTests {
    private func sshsig(_ namespace: String, _ hash: String = "sha512", _ size: Int = 64) -> [UInt8] {
        Array("SSHSIG".utf8) + string(namespace) + string("") + string(hash)
            + string([UInt8](repeating: 1, count: size))
    }

    private func purpose(_ data: [UInt8]) throws -> SigningPurpose {
        SigningPurpose(data, by: try SampleKey().publicKey)
    }

    @Test func `a signed file has its namespace`() throws {
        #expect(try purpose(sshsig("git")) == .text(namespace: "git", hash: "sha512"))
        #expect(try purpose(sshsig("file", "sha256", 32)) == .text(namespace: "file", hash: "sha256"))
    }

    @Test func `what only looks like a signed file is unknown`() throws {
        for data in [
            sshsig(""), sshsig("git") + [0], sshsig("git", "sha1", 20), sshsig("git", "sha256", 64),
            Array(sshsig("git").dropLast()), Array("SSHSIG".utf8), [], [1, 2, 3],
        ] {
            #expect(try purpose(data) == .unknown)
        }
    }

    @Test func `a log-in has its user, and its host where that is part of it`() throws {
        let key = try SampleKey()
        let session = SampleSession(with: try SampleKey())
        for bindsHost in [true, false] {
            let data = session.logIn(with: key.blob, algorithm: "ssh-ed25519", bindsHost: bindsHost)
            guard case .logIn(let logIn) = SigningPurpose(data, by: try key.publicKey) else {
                Issue.record("it is no log-in")
                continue
            }
            #expect(logIn.user == "alice")
            #expect(logIn.hostKey == (bindsHost ? session.host.blob : nil))
        }
    }

    @Test func `a log-in with another key than the one that signs is unknown`() throws {
        let (key, other) = (try SampleKey(), try SampleKey())
        let data = SampleSession(with: try SampleKey()).logIn(with: other.blob, algorithm: "ssh-ed25519")
        #expect(SigningPurpose(data, by: try key.publicKey) == .unknown)
    }

    @Test func `a log-in by a certificate of the key is one of the key`() throws {
        let key = try SampleKey(.p256)
        let certificate = try SampleCertificate(of: key, by: SampleKey())
        let data = SampleSession(with: try SampleKey()).logIn(with: certificate.blob, algorithm: certificate.algorithm)
        guard case .logIn = SigningPurpose(data, by: try key.publicKey) else {
            Issue.record("it is no log-in")
            return
        }
    }

    @Test func `an RSA log-in names SHA-2, or is unknown`() throws {
        let key = try SampleKey(.rsa)
        let session = SampleSession(with: try SampleKey())
        for (algorithm, isKnown) in [("rsa-sha2-256", true), ("rsa-sha2-512", true), ("ssh-rsa", false)] {
            let data = session.logIn(with: key.blob, algorithm: algorithm)
            #expect((SigningPurpose(data, by: try key.publicKey) == .unknown) != isKnown)
        }
    }

    @Test func `a log-in that was changed at any place is another one or unknown, and crashes nothing`() throws {
        let key = try SampleKey()
        let session = SampleSession(with: try SampleKey())
        let data = session.logIn(with: key.blob, algorithm: "ssh-ed25519")
        for position in data.indices {
            for value in [UInt8(0), 0xFF] {
                var changed = data
                changed[position] = value
                _ = SigningPurpose(changed, by: try key.publicKey)
            }
            #expect(SigningPurpose(Array(data.prefix(position)), by: try key.publicKey) == .unknown)
        }
    }
}
