import Foundation
import KeychainTestSupport
import Testing

/// What people do with ssh-add.
@Suite("ssh-add", .timeLimit(.minutes(5)))
struct SSHAddTests {
    @Test func `ssh-add lists, shows, tries, removes one and removes all`() throws {
        let site = try AgentSite()
        try site.makeKey("one")
        try site.makeKey("two", ["-t", "ecdsa", "-b", "384"])
        try site.succeed("ssh-add", ["-q", "one", "two"])
        #expect(try site.listed() == ["one", "two"])
        #expect(try site.succeed("ssh-add", ["-L"]) == site.read("one.pub") + site.read("two.pub"))
        try site.succeed("ssh-add", ["-T", "one.pub", "two.pub"])
        try site.succeed("ssh-add", ["-q", "-d", "one"])
        #expect(try site.listed() == ["two"])
        #expect(try site.run("ssh-add", ["-T", "one.pub"]).status == 1)
        try site.succeed("ssh-add", ["-D"])
        #expect(try site.run("ssh-add", ["-l"]).output == "The agent has no identities.\n")
    }

    /// What an OpenSSH before 8.9 says to an agent: it lists, and asks for a signature at once, without saying which host it
    /// is for; one before 7.2 asks RSA keys for SHA-1.
    private static let oldClient = """
        import os, socket, struct, sys
        def text(bytes): return struct.pack('>I', len(bytes)) + bytes
        def take(bytes):
            size = struct.unpack('>I', bytes[:4])[0]
            return bytes[4:4 + size], bytes[4 + size:]
        agent = socket.socket(socket.AF_UNIX)
        agent.connect(os.environ['SSH_AUTH_SOCK'])
        def ask(message):
            agent.sendall(text(message))
            head = agent.recv(4, socket.MSG_WAITALL)
            return agent.recv(struct.unpack('>I', head)[0], socket.MSG_WAITALL)
        answer = ask(bytes([11]))
        assert answer[0] == 12
        count, rest = struct.unpack('>I', answer[1:5])[0], answer[5:]
        for _ in range(count):
            blob, rest = take(rest)
            comment, rest = take(rest)
            kind = take(blob)[0]
            # RFC 4252, section 7: session, SSH_MSG_USERAUTH_REQUEST, user, service, method, true, algorithm, key.
            for flags, algorithm in ([(0, b'ssh-rsa'), (2, b'rsa-sha2-256'), (4, b'rsa-sha2-512')]
                                     if kind == b'ssh-rsa' else [(0, kind)]):
                request = (text(bytes(32)) + bytes([50]) + text(b'alice') + text(b'ssh-connection')
                           + text(b'publickey') + bytes([1]) + text(algorithm) + text(blob))
                answer = ask(bytes([13]) + text(blob) + text(request) + struct.pack('>I', flags))
                made = take(take(answer[1:])[0])[0].decode() if answer[0] == 14 else 'refused'
                print(comment.decode(), flags, made)
        """

    @Test func `a client that binds no session signs with its keys, with RSA by SHA-2 alone`() throws {
        let site = try AgentSite()
        try site.makeKey("one")
        try site.makeKey("two", ["-t", "ecdsa"])
        try site.makeKey("three", ["-t", "rsa", "-b", "2048"])
        try site.succeed("ssh-add", ["-q", "one", "two", "three"])
        try site.write(Self.oldClient, to: "old.py")
        let lines = try site.succeed("python3", ["old.py"]).split(separator: "\n")
        #expect(
            lines == [
                "one 0 ssh-ed25519", "two 0 ecdsa-sha2-nistp256", "three 0 refused", "three 2 rsa-sha2-256",
                "three 4 rsa-sha2-512",
            ]
        )
    }

    @Test(arguments: [1_024, 1_536, 2_047])
    func `RSA keys under 2,048 bits are refused, and the reason is said`(bits: Int) throws {
        let site = try AgentSite()
        try site.makeKey("old", ["-t", "rsa", "-b", "\(bits)"])
        #expect(try site.run("ssh-add", ["-q", "old"]).status == 1)
        #expect(site.log.contains("the RSA key does not have 2048 to 8192 bits"), "\(site.log)")
        let imported = try site.run("chatelaine", ["ssh", "import", "old"])
        #expect(imported.status == 1)
        #expect(imported.errors.contains("does not have 2048 to 8192 bits"), "\(imported.errors)")
        try site.makeKey("new", ["-t", "rsa", "-b", "2048"])
        try site.succeed("ssh-add", ["-q", "new"])
    }

    @Test func `a comment is bytes, also of a key that is imported`() throws {
        let site = try AgentSite()
        let comment = "caf\\351 " + String(repeating: "x", count: 600)
        try site.succeed("sh", ["-c", "ssh-keygen -q -t ed25519 -N '' -f one -C \"$(printf '\(comment)')\""])
        let bytes = Data([0x20, 0x63, 0x61, 0x66, 0xE9, 0x20])
        for command in [("ssh-add", ["-q", "one"]), ("chatelaine", ["ssh", "import", "one"])] {
            try site.succeed(command.0, command.1)
            try site.succeed("sh", ["-c", "ssh-add -L >list"])
            let list = try Data(contentsOf: URL(filePath: site.folder + "/list"))
            #expect(list.range(of: bytes) != nil)
            try site.succeed("ssh-add", ["-q", "-D"])
        }
        #expect(try site.succeed("chatelaine", ["ssh", "list"]).contains("caf\u{FFFD} xxx"))
    }

    @Test func `a long comment leaves room for other keys in a list, and for the end of a question`() throws {
        let site = try AgentSite()
        for name in ["one", "two", "three"] { try site.makeKey(name) }
        // ssh-keygen writes no more than 1,023 bytes; other programs do. The format is OpenSSH's PROTOCOL.key.
        try site.write(
            """
            import base64, os, struct, sys
            for name in sys.argv[1:]:
                lines = open(name).read().split('\\n')
                data = base64.b64decode(''.join(lines[1:-2]))
                start = data.index(name.encode(), 100) - 4
                comment = b'y' * 100000
                body = data[:start] + struct.pack('>I', len(comment)) + comment
                # Magic, three empty fields, one key, and its public half come before the private part.
                private = 15 + 8 + 8 + 4 + 4 + 4 + 51
                size = len(body) - private - 4
                padding = bytes(range(1, 1 + -size % 8))
                body = body[:private] + struct.pack('>I', size + len(padding)) + body[private + 4:] + padding
                text = base64.b64encode(body).decode()
                open(name, 'w').write('\\n'.join([lines[0], text, lines[-2], '']))
            """,
            to: "lengthen.py"
        )
        try site.succeed("/usr/bin/python3", ["lengthen.py", "two", "three"])
        try site.succeed("chatelaine", ["ssh", "import", "one"])
        try site.succeed("chatelaine", ["ssh", "import", "--presence", "two"])
        let refused = try site.run("chatelaine", ["ssh", "import", "three"])
        #expect(refused.status == 1 && refused.errors.contains("too large for an agent"), "\(refused.errors)")
        #expect(try site.listed().count == 2)
        let fingerprint = try site.succeed("ssh-keygen", ["-l", "-f", "two.pub"]).split(separator: " ")[1]
        site.allow()
        try site.succeed("chatelaine", ["ssh", "delete", String(fingerprint)])
        #expect(site.person.shown.contains("yyy… for good"), "\(site.person.shown.prefix(2_000))")
    }

    @Test func `SIGUSR1 makes the agent forget what was added, and keep what the keychain has`() throws {
        let site = try AgentSite()
        _ = try site.createKey()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "one"])
        #expect(try site.listed() == ["one", "enclave"])
        site.signal(SIGUSR1)
        try waitUntil("the key is gone") { try site.listed() == ["enclave"] }
        // Once more, and it still serves.
        try site.succeed("ssh-add", ["-q", "one"])
        site.signal(SIGUSR1)
        try waitUntil("the key is gone again") { try site.listed() == ["enclave"] }
    }

    @Test func `without a passcode a confirmation is asked for by the program that ssh's own agent asks by`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/confirm-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try writeProgram(
            "#!/bin/sh\necho \"$SSH_ASKPASS_PROMPT: $1\" >>\(folder)/asked\ntest -e \(folder)/yes\n",
            to: folder + "/askpass"
        )
        let site = try AgentSite(hasPasscode: false, variables: ["SSH_ASKPASS": folder + "/askpass"])
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "-c", "one"])
        #expect(try site.run("ssh-add", ["-T", "one.pub"]).status == 1)
        try Data().write(to: URL(filePath: folder + "/yes"))
        try site.succeed("ssh-add", ["-T", "one.pub"])
        let asked = try String(contentsOfFile: folder + "/asked", encoding: .utf8)
        let question = "confirm: Confirm: use the key one to sign data of an unknown kind\n"
        #expect(asked == question + question)
    }

    @Test func `keys of the keychain are listed beside, and survive what removes all`() throws {
        let site = try AgentSite()
        _ = try site.createKey()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "one"])
        #expect(try site.listed() == ["one", "enclave"])
        try site.succeed("ssh-add", ["-q", "-D"])
        #expect(try site.listed() == ["enclave"])
        #expect(try site.run("ssh-add", ["-d", "enclave.pub"]).status == 1)
        #expect(try site.listed() == ["enclave"])
        // What is tried says nothing of itself.
        #expect(try site.run("ssh-add", ["-T", "enclave.pub"]).status == 1)
        #expect(site.person.dialogs == 0)
    }

    @Test func `a key with a lifetime is gone after it`() throws {
        let site = try AgentSite()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "-t", "3", "one"])
        #expect(try site.listed() == ["one"])
        try waitUntil("the key is gone", patience: 20) { try site.listed() == [] }
    }

    @Test func `a key with confirmation asks the owner, and is refused when they decline`() throws {
        let site = try AgentSite()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "-c", "one"])
        site.allow()
        try site.succeed("ssh-add", ["-T", "one.pub"])
        #expect(site.person.shown.contains("“use the key one to sign data of an unknown kind”"), "\(site.person.shown)")
        site.answer([.no])
        #expect(try site.run("ssh-add", ["-T", "one.pub"]).status == 1)
        #expect(site.person.dialogs == 2)
    }

    @Test func `a locked agent shows and does nothing until its passphrase comes, and wrong ones take longer`() throws {
        let site = try AgentSite()
        _ = try site.createKey()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "one"])
        try site.succeed("ssh-add", ["-x"], site.askpass("open"))
        #expect(try site.listed() == [])
        #expect(try site.run("ssh-add", ["-T", "one.pub"]).status == 1)
        #expect(try site.run("ssh-add", ["one"]).status == 1)
        let wrong = try site.askpass("wrong")
        var durations: [Double] = []
        for _ in 0..<3 {
            let start = Date()
            #expect(try site.run("ssh-add", ["-X"], wrong).status == 1)
            durations.append(Date().timeIntervalSince(start))
        }
        #expect(durations[0] >= 0.1 && durations[1] >= 0.2 && durations[2] >= 0.3, "\(durations)")
        try site.succeed("ssh-add", ["-X"], site.askpass("open"))
        #expect(try site.listed() == ["one", "enclave"])
    }

    /// Has a file signed with a key of the enclave, in the background, and waits for the question.
    private func startSigning(at site: AgentSite) throws -> Process {
        _ = try site.createKey()
        try site.write("text", to: "file")
        let waiting = Process()
        waiting.executableURL = URL(filePath: "/usr/bin/env")
        // It may close what it inherits, from which Foundation would conclude that it has ended: timeout does not.
        waiting.arguments = [
            "timeout", "60", "ssh-keygen", "-Y", "sign", "-q", "-f", "enclave.pub", "-n", "file", "file",
        ]
        waiting.currentDirectoryURL = URL(filePath: site.folder)
        waiting.environment = ["PATH": "/usr/bin:/bin", "SSH_AUTH_SOCK": site.socket]
        waiting.standardInput = FileHandle.nullDevice
        waiting.standardError = FileHandle.nullDevice
        try waiting.runHearingSignals()
        #expect(site.person.waitForDialog())
        return waiting
    }

    @Test func `a key of the enclave waits for its owner, and others go on meanwhile`() throws {
        let site = try AgentSite()
        try site.makeKey("one")
        try site.succeed("ssh-add", ["-q", "one"])
        let waiting = try startSigning(at: site)
        try site.succeed("ssh-add", ["-T", "one.pub"])
        #expect(try site.listed() == ["one", "enclave"])
        site.allow()
        #expect(waiting.waitForExit() == 0)
    }

    @Test func `the question is taken back when the program that asked goes away`() throws {
        let site = try AgentSite()
        let waiting = try startSigning(at: site)
        kill(waiting.processIdentifier, SIGTERM)
        waiting.waitForExit()
        #expect(site.person.allClose())
    }
}
