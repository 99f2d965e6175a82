import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The command lines that README, the guide to porting and the man pages show. (The programs and manifests that they show
/// are compiled by `scripts/test-install.sh`, against what it has installed.)
@Suite("Command lines in the documents")
struct DocumentedCommandTests {
    // MARK: - What is run here

    /// A line that is run as it stands, in the order of its page, in one folder with one keychain.
    private struct Step {
        let line: String
        /// What has to be there first, as a line of shell.
        var before: String?
        /// What a person types, each after what the terminal shows before it.
        var typed: [(after: String, text: String)] = []
        var status: Int32 = 0
        /// What has to be seen.
        var shows = ""
    }

    private static let program = "cp /bin/true app && printf '<plist version=\"1.0\"><dict/></plist>' >app.entitlements"

    private static let pages: [String: [Step]] = [
        "README.md": [
            Step(line: "security create-keypair --enclave \"this machine\""),
            Step(line: "security create-certificate-request --purpose clientAuth -o machine.csr \"this machine\""),
            Step(
                line: "security import machine.pem",
                before: """
                    openssl req -x509 -newkey ed25519 -nodes -keyout authority.key -out authority.pem -subj /CN=authority &&
                    openssl x509 -req -in machine.csr -CA authority.pem -CAkey authority.key -out machine.pem
                    """
            ),
            Step(line: "security find-identity", shows: "1 identities found"),
            Step(line: "chatelaine sync create Sync", before: "mkdir Sync", shows: "The circle is there"),
            Step(line: "chatelaine doctor", shows: "embedded"),
            Step(line: "chatelaine team new EXAMPLE01 --out team.pem --certificate team-certificate.pem"),
            Step(
                line: "chatelaine sign --team team.pem --entitlements mail.entitlements mail",
                before: program + " && cp app mail && cp app.entitlements mail.entitlements"
            ),
            Step(
                line: "chatelaine passcode set",
                before: "security add-generic-password -s mail -a alice -w secret",
                typed: [("new passcode", "four words\n"), ("again", "four words\n")]
            ),
            Step(line: "chatelaine lock"),
            // The page shows what it answers.
            Step(
                line: "security find-generic-password -s mail -w",
                status: 36,
                shows: "security: SecKeychainSearchCopyNext: User interaction is not allowed."
            ),
            Step(line: "chatelaine unlock", typed: [("passcode", "four words\n")]),
        ],
        "docs/man/security.1": [
            Step(
                line: "security add-generic-password -s backup -a alice -w",
                typed: [("password data for new item: ", "secret\n"), ("retype password", "secret\n")]
            ),
            Step(line: "PASS=$(security find-generic-password -s backup -a alice -w)"),
            Step(line: "security list", shows: "backup"),
        ],
        "docs/man/chatelaine.1": [
            Step(
                line: "chatelaine passcode set",
                before: "security add-generic-password -s mail -a alice -w secret",
                typed: [("new passcode", "four words\n"), ("again", "four words\n")]
            ),
            Step(line: "chatelaine lock"),
            Step(line: "chatelaine unlock", typed: [("passcode", "four words\n")]),
            Step(
                line: "chatelaine backup create keychain.backup",
                // Root is not asked for the passcode.
                typed: (geteuid() == 0 ? [] : [("passcode of the keychain", "four words\n")])
                    + [("passphrase", "more words\n"), ("again", "more words\n")]
            ),
            Step(
                line: "chatelaine backup list keychain.backup",
                typed: [("passphrase", "more words\n")],
                shows: "mail"
            ),
            Step(line: "chatelaine team new EXAMPLE01 --out team.pem --certificate team-certificate.pem"),
            Step(line: "chatelaine sign --team team.pem --entitlements app.entitlements app", before: program),
            Step(line: "chatelaine entitlements app"),
        ],
    ]

    // MARK: - What is run elsewhere

    /// A line that needs root, a network or an installation, and the file of ours that runs it, with a text in that file.
    private struct Elsewhere {
        let line: String
        let file: String
        let text: String

        init(_ line: String, _ file: String, _ text: String) {
            self.line = line
            self.file = file
            self.text = text
        }
    }

    private static let toolset = "swift test --package-path package --toolset \"$toolset\""

    private static let elsewhere = [
        Elsewhere("make demo", "scripts/gate.sh", "stage demo "),
        Elsewhere("make test", "scripts/gate.sh", "stage test "),
        Elsewhere("sudo apt install ./.build/chatelaine_0.2.0_amd64.deb", "scripts/deb.sh", "dpkg-deb"),
        Elsewhere(
            "sudo chatelaine team trust team-certificate.pem && sudo install mail /usr/local/bin/",
            "scripts/two-apps.sh",
            "team trust"
        ),
        Elsewhere("sudo chatelaine install-app /usr/local/bin/mail", "scripts/two-apps.sh", "install-app"),
        Elsewhere(
            "git config --global credential.helper chatelaine",
            "Tests/CredentialProgramTests/GitProgramTests.swift",
            "git config --global credential.helper chatelaine"
        ),
        Elsewhere(
            "chatelaine secrets import && chatelaine secrets enable",
            "Tests/SecretServiceProcessTests/NewUserTests.swift",
            "chatelaine secrets import && chatelaine secrets enable"
        ),
        Elsewhere(
            "chatelaine ssh create --comment laptop && chatelaine ssh enable",
            "Tests/SSHAgentProcessTests/EnableTests.swift",
            "chatelaine ssh create --comment laptop && chatelaine ssh enable"
        ),
        Elsewhere("make install PREFIX=$HOME/.local", "scripts/test-install.sh", "scripts/install.sh"),
        Elsewhere(
            "swift build --toolset ~/.local/share/chatelaine/chatelaine.json",
            "scripts/test-install.sh",
            toolset
        ),
        Elsewhere("swift test --toolset ~/.local/share/chatelaine/chatelaine.json", "scripts/test-install.sh", toolset),
        Elsewhere(
            "swift build --toolset ~/.local/share/chatelaine/chatelaine-cryptokit.json",
            "scripts/test-install.sh",
            "--toolset \"$prefix/share/chatelaine/chatelaine-cryptokit.json\""
        ),
        Elsewhere("export CHATELAINE_SERVER_TRUST=1", "scripts/graph.sh", "env CHATELAINE_SERVER_TRUST=1 swift build"),
        Elsewhere("swift build --target Security", "scripts/graph.sh", "\"${pinning[@]}\" --target Security"),
        Elsewhere(
            "swift build -Xswiftc -Xfrontend -Xswiftc -disable-availability-checking",
            "scripts/graph.sh",
            "-Xswiftc -Xfrontend -Xswiftc -disable-availability-checking"
        ),
        Elsewhere(
            "CHATELAINE_KEYCHAIN=memory: swift test",
            "scripts/test-install.sh",
            "CHATELAINE_KEYCHAIN=memory: swift test"
        ),
        Elsewhere(
            "CHATELAINE_KEYCHAIN=memory: chatelaine swift test",
            "scripts/smoke.sh",
            "swift \"${hidden[@]}\" --hide statekit test"
        ),
        Elsewhere(
            "chatelaine swift --hide Alamofire --hide AppState build",
            "scripts/smoke.sh",
            "swift \"${hidden[@]}\" --hide statekit test"
        ),
        Elsewhere("chatelaine access", "Tests/AccessTests/AccessProgram.swift", "program(\"chatelaine-access\")"),
        Elsewhere("export PATH=$HOME/.local/bin:$PATH", "scripts/smoke.sh", "\"$prefix/bin/chatelaine\""),
        Elsewhere("chatelaine port", "scripts/smoke.sh", "chatelaine\" port"),
        Elsewhere(
            "sed 's/$(PRODUCT_BUNDLE_IDENTIFIER)/com.example.app/' App/Info.plist >.build/debug/Info.plist",
            "scripts/test-install.sh",
            "/Info.plist"
        ),
        Elsewhere(
            "export CHATELAINE_TEAM=A1B2C3D4E5",
            "Tests/CLibraryTests/CClientTests.swift",
            "\"CHATELAINE_TEAM=\" + team"
        ),
        Elsewhere(
            "cp App/App.entitlements .build/debug/my-app.entitlements",
            "scripts/test-install.sh",
            "\"$program.entitlements\""
        ),
        Elsewhere(
            "CHATELAINE_KEYCHAIN=embedded:/var/lib/my-app/keychain",
            "Tests/ToolTests/Sandbox.swift",
            "\"CHATELAINE_KEYCHAIN\": \"embedded:"
        ),
        Elsewhere(
            "clang client.c $(pkg-config --cflags --libs chatelaine) -o client",
            "scripts/test-install.sh",
            "pkg-config --cflags --libs chatelaine"
        ),
    ]

    // MARK: - The pages

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    private static func text(of file: String) throws -> String {
        try String(contentsOf: root.appending(path: file), encoding: .utf8)
    }

    /// The command lines of a page, in its order. Of a man page, those of its examples.
    private static func lines(of page: String) throws -> [String] {
        let isManual = page.hasPrefix("docs/man/")
        var isFenced = false
        var isExample = !isManual
        return try text(of: page).split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
            if line.hasPrefix("```") { isFenced.toggle() }
            if line.hasPrefix(".Sh ") { isExample = line == ".Sh EXAMPLES" }
            let start = isManual ? ".Dl " : "    "
            guard isExample, !isFenced, line.hasPrefix(start),
                line.dropFirst(start.count).first?.isLetter == true
                    || line.hasPrefix(start + "$ ")
            else { return nil }
            var command = line.dropFirst(start.count)
            if command.hasPrefix("$ ") { command = command.dropFirst(2) }
            // A remark behind it.
            if let remark = command.range(of: "  #") { command = command[..<remark.lowerBound] }
            return command.trimmingCharacters(in: .whitespaces)
        }
    }

    private static let manuals = [
        "docs/man/security.1", "docs/man/chatelaine.1", "docs/man/chatelained.8", "docs/man/chatelaine-enclave.8",
        "docs/man/chatelaine-prompt.8", "docs/man/chatelaine-authorize.8", "docs/man/pam_chatelaine.8",
    ]

    @Test(arguments: ["README.md", "docs/porting.md"] + manuals)
    func `every line that a page shows is run, here or elsewhere`(page: String) throws {
        let steps = Self.pages[page] ?? []
        // What a page shows of an answer is no command.
        let answers = Set(steps.map(\.shows))
        let lines = try Self.lines(of: page).filter { !answers.contains($0) }
        let here = lines.filter { line in !Self.elsewhere.contains { $0.line == line } }
        #expect(here == steps.map(\.line))
    }

    @Test
    func `every line that is run elsewhere stands on a page, and in the file that runs it`() throws {
        let lines = try Set((["README.md", "docs/porting.md"] + Self.manuals).flatMap(Self.lines(of:)))
        for entry in Self.elsewhere {
            #expect(lines.contains(entry.line), "\(entry.line) is on no page")
            #expect(try Self.text(of: entry.file).contains(entry.text), "\(entry.file) does not run \(entry.line)")
        }
    }

    @Test(arguments: pages.keys.sorted())
    func `what a page shows does what it says`(page: String) throws {
        let sandbox = try Sandbox()
        for step in Self.pages[page] ?? [] {
            if let before = step.before {
                let outcome = try sandbox.run(before)
                try #require(outcome.status == 0, "before \(step.line): \(outcome.errors)")
            }
            let terminal = try PseudoTerminal(
                "/bin/sh",
                ["-c", "cd '\(sandbox.folder.path)' && \(step.line)"],
                environment: sandbox.environment
            )
            for (prompt, text) in step.typed {
                try terminal.wait(for: prompt)
                terminal.type(text)
            }
            // A passcode that is set costs what passcodes cost.
            let status = try terminal.exitStatus(within: 120)
            #expect(status == step.status, "\(step.line): \(terminal.seen)")
            #expect(step.shows.isEmpty || terminal.seen.contains(step.shows), "\(step.line): \(terminal.seen)")
        }
    }
}
