import Foundation
import KeychainTestSupport
import Testing

/// OpenSSH's client logs in to OpenSSH's server with keys of the agent.
@Suite("Log-ins with keys of the agent", .timeLimit(.minutes(5)))
struct LogInTests {
    @Test func `a key of the enclave logs in when its owner allows it, and the prompt names host and user`() throws {
        let site = try AgentSite()
        let server = try SSHServer("server.example", at: site)
        try server.authorize(site.createKey())
        site.allow()
        let outcome = try server.logIn()
        #expect(outcome.output == "welcome\n", "\(outcome.errors)\(site.log)\(server.log)")
        #expect(try site.person.shown.contains("“log in to \(server.inPrompt()) as root”"), "\(site.person.shown)")
        #expect(site.person.dialogs == 1)
    }

    @Test func `a log-in that names no host is one to an unknown host, whichever the session is bound to`() throws {
        let site = try AgentSite()
        let server = try SSHServer("server.example", at: site)
        try server.authorize(site.createKey())
        for (kind, host) in [("unbound", "an unknown host"), ("host-bound", try server.inPrompt())] {
            site.allow()
            #expect(try server.logIn(["-o", "PubkeyAuthentication=\(kind)"]).output == "welcome\n", "\(site.log)")
            #expect(site.person.shown.contains("“log in to \(host) as root”"), "\(site.person.shown)")
        }
    }

    @Test func `an agent that is started with another home names no key as that home's known_hosts does`() throws {
        let site = try AgentSite()
        let server = try SSHServer("server.example", at: site)
        try server.authorize(site.createKey())
        try FileManager.default.createDirectory(atPath: site.decoy + "/.ssh", withIntermediateDirectories: true)
        let known = try site.read(".ssh/known_hosts").replacing("server.example", with: "github.com")
        try Data(known.utf8).write(to: URL(filePath: site.decoy + "/.ssh/known_hosts"))
        site.allow()
        #expect(try server.logIn().output == "welcome\n", "\(site.log)")
        let shown = site.person.shown
        #expect(!shown.contains("github.com"), "\(shown)")
        // The control: the name that the user's own file has.
        #expect(try shown.contains("“log in to \(server.inPrompt()) as root”"), "\(shown)")
    }

    @Test func `a key of the enclave does not log in when its owner declines`() throws {
        let site = try AgentSite([.no])
        let server = try SSHServer("server.example", at: site)
        try server.authorize(site.createKey())
        let outcome = try server.logIn()
        #expect(outcome.status == 255)
        #expect(outcome.errors.contains("agent refused operation"), "\(outcome.errors)")
        #expect(site.log.contains("the person said no"), "\(site.log)")
    }

    @Test func `a program that asks without end leaves prompts for others`() throws {
        let site = try AgentSite()
        let line = try site.createKey()
        // Each signature is a question, which the end of the connection takes back.
        let attack = """
            import base64, os, socket, struct, sys
            def text(data): return struct.pack('>I', len(data)) + data
            blob = base64.b64decode(sys.argv[1])
            asked = 0
            for _ in range(60):
                server = socket.socket(socket.AF_UNIX)
                server.connect(os.environ['SSH_AUTH_SOCK'])
                data = b'SSHSIG' + text(b'git') + text(b'') + text(b'sha512') + text(bytes(64))
                server.sendall(text(b'\\x0d' + text(blob) + text(data) + struct.pack('>I', 0)))
                server.settimeout(0.5)
                try: server.recv(5)
                except TimeoutError: asked += 1
                server.close()
            print(asked)
            """
        let blob = String(line.split(separator: " ")[1])
        let asked = try #require(Int(site.succeed("python3", ["-c", attack, blob]).dropLast()))
        #expect(asked <= 8, "\(asked)")
        #expect(site.log.split(separator: "\n").count { $0.contains("it has asked too often") } == 1, "\(site.log)")
    }

    @Test func `each log-in asks anew`() throws {
        let site = try AgentSite()
        let server = try SSHServer("server.example", at: site)
        try server.authorize(site.createKey())
        for count in 1...2 {
            site.allow()
            #expect(try server.logIn().output == "welcome\n")
            #expect(site.person.dialogs == count)
        }
    }

    @Test func `a key of the enclave without presence logs in without a question`() throws {
        let site = try AgentSite(hasPasscode: false)
        let server = try SSHServer("server.example", at: site)
        try server.authorize(site.createKey("quiet", ["--no-presence"]))
        #expect(try server.logIn().output == "welcome\n", "\(site.log)")
        #expect(site.person.dialogs == 0)
    }

    @Test func `without a passcode nobody can be told, and the key is refused at once`() throws {
        let site = try AgentSite(hasPasscode: false)
        let server = try SSHServer("server.example", at: site)
        let created = try site.run("chatelaine", ["ssh", "create"])
        #expect(created.errors.contains("chatelaine passcode set"), "\(created.errors)")
        try server.authorize(created.output)
        #expect(try server.logIn().status == 255)
        #expect(site.log.contains("no passcode"), "\(site.log)")
    }

    @Test(arguments: [
        ["-t", "ed25519"], ["-t", "rsa", "-b", "3072"], ["-t", "ecdsa", "-b", "256"], ["-t", "ecdsa", "-b", "384"],
        ["-t", "ecdsa", "-b", "521"],
    ])
    func `keys that ssh-add adds log in`(kind: [String]) throws {
        let site = try AgentSite()
        let server = try SSHServer("server.example", at: site)
        try site.makeKey("added", kind)
        try server.authorize(site.read("added.pub"))
        try site.succeed("ssh-add", ["-q", "added"])
        let outcome = try server.logIn()
        #expect(outcome.output == "welcome\n", "\(outcome.errors)\(site.log)\(server.log)")
    }

    @Test(arguments: ["rsa-sha2-256", "rsa-sha2-512"])
    func `RSA signs with either digest`(algorithm: String) throws {
        let site = try AgentSite()
        let server = try SSHServer("server.example", at: site)
        try site.makeKey("added", ["-t", "rsa", "-b", "2048"])
        try server.authorize(site.read("added.pub"))
        try site.succeed("ssh-add", ["-q", "added"])
        let outcome = try server.logIn(["-o", "PubkeyAcceptedAlgorithms=\(algorithm)"])
        #expect(outcome.output == "welcome\n", "\(outcome.errors)")
        // The old one with SHA-1 is not to be had.
        #expect(try server.logIn(["-o", "PubkeyAcceptedAlgorithms=ssh-rsa"]).status == 255)
    }

    @Test(arguments: [
        ["-t", "ed25519"], ["-t", "rsa", "-b", "2048"], ["-t", "ecdsa", "-b", "521"], ["-t", "ecdsa", "-b", "256"],
    ])
    func `keys that were imported log in, also after the agent's memory was emptied`(kind: [String]) throws {
        let site = try AgentSite()
        let server = try SSHServer("server.example", at: site)
        try site.makeKey("kept", kind)
        try server.authorize(site.read("kept.pub"))
        try site.succeed("chatelaine", ["ssh", "import", "kept"])
        try site.succeed("ssh-add", ["-q", "-D"])
        #expect(try site.listed() == ["kept"])
        #expect(try server.logIn().output == "welcome\n", "\(site.log)")
        #expect(site.person.dialogs == 0)
    }

    @Test func `an imported key with presence asks at each use, and is refused when its owner declines`() throws {
        let site = try AgentSite()
        let server = try SSHServer("server.example", at: site)
        try site.makeKey("kept")
        try server.authorize(site.read("kept.pub"))
        try site.succeed("chatelaine", ["ssh", "import", "--presence", "kept"])
        site.allow()
        #expect(try server.logIn().output == "welcome\n", "\(site.log)")
        #expect(try site.person.shown.contains("“log in to \(server.inPrompt()) as root”"), "\(site.person.shown)")
        site.answer([.no])
        #expect(try server.logIn().status == 255)
        #expect(site.person.dialogs == 2)
    }

    @Test func `IdentitiesOnly takes the key that the file names`() throws {
        let site = try AgentSite()
        let server = try SSHServer("server.example", at: site)
        _ = try site.createKey("other", ["--no-presence"])
        try server.authorize(site.createKey("mine", ["--no-presence"]))
        try site.succeed("chatelaine", ["ssh", "export", "mine", "--file", "named.pub"])
        let options = ["-o", "IdentitiesOnly=yes", "-o", "IdentityFile=\(site.folder)/named.pub"]
        #expect(try server.logIn(options).output == "welcome\n", "\(site.log)")
        let wrong = ["-o", "IdentitiesOnly=yes", "-o", "IdentityFile=\(site.folder)/other.pub"]
        #expect(try server.logIn(wrong).status == 255)
    }

    // MARK: - Certificates

    @Test func `certificates log in: of an added key, of a key of the enclave, and by an authority in the agent`()
        throws
    {
        let site = try AgentSite()
        try site.makeKey("authority")
        let server = try SSHServer("server.example", at: site, ["TrustedUserCAKeys \(site.folder)/authority.pub"])
        // The authority is in the agent, and its file is away.
        try site.succeed("ssh-add", ["-q", "authority"])
        try site.succeed("rm", ["authority"])
        try site.makeKey("added")
        let certify = ["-q", "-Us", "authority.pub", "-I", "test", "-n", "root", "-V", "+1h"]
        try site.succeed("ssh-keygen", certify + ["added.pub"])
        try site.succeed("ssh-add", ["-q", "added"])
        #expect(try site.run("ssh-add", ["-l"]).output.contains("(ED25519-CERT)"))
        #expect(try server.logIn().output == "welcome\n", "\(server.log)")
        try site.succeed("ssh-add", ["-q", "-d", "added"])
        #expect(try server.logIn().status == 255)
        _ = try site.createKey()
        try site.succeed("ssh-keygen", certify + ["enclave.pub"])
        site.allow()
        let outcome = try server.logIn([
            "-o", "IdentitiesOnly=yes", "-o", "IdentityFile=\(site.folder)/enclave.pub", "-o",
            "CertificateFile=\(site.folder)/enclave-cert.pub",
        ])
        #expect(outcome.output == "welcome\n", "\(outcome.errors)\(site.log)\(server.log)")
        #expect(try site.person.shown.contains("“log in to \(server.inPrompt()) as root”"), "\(site.person.shown)")
    }

    @Test func `a key of the enclave certifies nobody: what a certificate is cannot be told from its bytes`() throws {
        let site = try AgentSite()
        _ = try site.createKey("authority")
        try site.makeKey("user")
        let certify = ["-q", "-Us", "authority.pub", "-I", "test", "-n", "root", "user.pub"]
        #expect(try site.run("ssh-keygen", certify).status != 0)
        #expect(site.person.dialogs == 0)
    }
}
