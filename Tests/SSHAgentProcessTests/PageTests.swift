import Foundation
import KeychainTestSupport
import Testing

/// The command lines that the manual and the guide show, in the order of the page, as one person types them.
@Suite(
    "Command lines about the ssh agent",
    .timeLimit(.minutes(5)),
    .enabled(if: UserManager.isPossible, "\(UserManager.reason)")
)
struct PageTests {
    private static let guide = "docs/ssh-agent.md"
    private static let manual = "docs/man/chatelaine-ssh-agent.1"

    /// What has to be there before a line, as lines of shell.
    private static let before: [String: String] = [
        "chatelaine ssh import --comment \"old laptop\" ~/.ssh/id_ed25519": newKey,
        "chatelaine ssh import ~/.ssh/id_ed25519": newKey,
        "git log --show-signature -1": """
        git init -q . && git config user.email me@example.org && git config user.name me &&
        git commit -q --allow-empty -m signed
        """,
        "chatelaine ssh import ~/.ssh/laptop-cert.pub": """
        ssh-keygen -q -N '' -f authority && ssh-keygen -q -s authority -I me -n me ~/.ssh/laptop.pub
        """,
        "chatelaine unlock": "chatelaine lock",
    ]
    private static let newKey = "ssh-keygen -q -N '' -t ed25519 -C old -f ~/.ssh/id_ed25519"

    /// What has to be seen.
    private static let shows: [String: String] = [
        "chatelaine ssh list": "old laptop",
        "git log --show-signature -1": "Good \"git\" signature for me@example.org",
        "chatelaine ssh import ~/.ssh/laptop-cert.pub": "ecdsa-sha2-nistp256-cert-v01@openssh.com ",
    ]

    /// What a person types at the terminal when they are asked for the passcode.
    private static let typed = ["chatelaine unlock": AgentSite.passcode + "\n"]

    /// Runs a line at a terminal, and types when it asks.
    private static let terminal = """
        import os, pty, sys
        line, prompt, answer = sys.argv[1:]
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvp('bash', ['bash', '-c', line])
        seen = b''
        while prompt.encode() not in seen:
            seen += os.read(terminal, 1000)
        os.write(terminal, answer.encode())
        try:
            while more := os.read(terminal, 1000):
                seen += more
        except OSError:
            pass
        print(seen.decode())
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """

    private static func lines(of page: String) throws -> [String] {
        let text = try String(contentsOf: UserManager.sources.appending(path: page), encoding: .utf8)
        var isFenced = false
        return text.split(separator: "\n").compactMap { line in
            if line.hasPrefix("```") { isFenced.toggle() }
            if line.hasPrefix(".Dl $ ") { return String(line.dropFirst(6)).replacing("\\(dq", with: "\"") }
            return !isFenced && line.hasPrefix("    ") ? String(line.dropFirst(4)) : nil
        }
    }

    @Test(arguments: [guide, manual])
    func `what a page shows can be typed as it stands`(page: String) throws {
        let manager = try UserManager()
        let site = try AgentSite(inside: manager)
        try manager.start(for: site)
        let lines = try Self.lines(of: page)
        #expect(lines.count >= 3)
        // Of the one commit.
        site.allow()
        var exports = "export SSH_AUTH_SOCK=$XDG_RUNTIME_DIR/chatelaine/ssh.sock\n"
        for line in lines {
            if line.hasPrefix("export ") { exports += line + "\n" }
            if let before = Self.before[line] {
                let prepared = try site.run("bash", ["-c", exports + before])
                #expect(prepared.status == 0, "before \(line): \(prepared.errors)\(prepared.output)")
            }
            let outcome =
                if let typed = Self.typed[line] {
                    try site.run("python3", ["-c", Self.terminal, line, "passcode: ", typed])
                } else {
                    try site.run("bash", ["-c", exports + line])
                }
            #expect(outcome.status == 0, "\(line): \(outcome.errors)\(outcome.output)")
            let shown = Self.shows[line] ?? ""
            #expect(shown.isEmpty || outcome.output.contains(shown), "\(line): \(outcome.errors)\(outcome.output)")
        }
    }

    @Test func `what is prepared for a line is for a line that a page shows`() throws {
        let all = try Self.lines(of: Self.guide) + Self.lines(of: Self.manual)
        for line in Array(Self.before.keys) + Array(Self.shows.keys) + Array(Self.typed.keys) {
            #expect(all.contains(line), "\(line)")
        }
    }
}
