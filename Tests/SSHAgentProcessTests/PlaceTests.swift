import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Where the agent listens, and who may connect.
@Suite("The ssh agent's socket", .timeLimit(.minutes(3)))
struct PlaceTests {
    @Test func `the socket is its user's alone, in a folder that nobody else enters`() throws {
        let site = try AgentSite(hasPasscode: false)
        var status = stat()
        #expect(lstat(site.socket, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(lstat(site.folder + "/run", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test func `a second agent does not take the first one's socket`() throws {
        let site = try AgentSite(hasPasscode: false)
        let second = try site.run("chatelaine-ssh-agent", ["serve", "--socket", site.socket])
        #expect(second.status == 1)
        #expect(second.errors.contains("another process listens"), "\(second.errors)")
        #expect(try site.run("ssh-add", ["-l"]).output == "The agent has no identities.\n")
    }

    @Test func `what is no socket is not replaced, and a folder of others is not used`() throws {
        let site = try AgentSite(hasPasscode: false)
        try site.write("precious", to: "run/file")
        let file = try site.run("chatelaine-ssh-agent", ["serve", "--socket", site.folder + "/run/file"])
        #expect(file.status == 1)
        #expect(try site.read("run/file") == "precious")
        mkdir(site.folder + "/open", 0o700)
        chmod(site.folder + "/open", 0o777)
        let open = try site.run("chatelaine-ssh-agent", ["serve", "--socket", site.folder + "/open/sock"])
        #expect(open.status == 1)
        #expect(open.errors.contains("nobody else may write to it"), "\(open.errors)")
    }

    @Test func `a relative path of a socket is one from where the agent was started`() throws {
        let site = try AgentSite(hasPasscode: false)
        let line = """
            chatelaine-ssh-agent serve --socket sub/sock &
            for try in $(seq 300); do test -S sub/sock && break; sleep 0.1; done
            SSH_AUTH_SOCK=$PWD/sub/sock ssh-add -l
            kill $!
            """
        #expect(try site.run("sh", ["-c", line]).output == "The agent has no identities.\n")
    }

    @Test(arguments: ["0", "077", "0277", "0777"])
    func `the socket and its lock have the same modes under every umask of the shell`(umask: String) throws {
        let site = try AgentSite(hasPasscode: false)
        let line = """
            umask \(umask)
            chatelaine-ssh-agent serve --socket run/other &
            agent=$!
            for try in $(seq 300); do
                test "$(SSH_AUTH_SOCK=$PWD/run/other ssh-add -l)" = 'The agent has no identities.' && break
                sleep 0.1
            done
            stat -c '%n %a' run/other run/other.lock
            kill $agent
            """
        #expect(try site.run("sh", ["-c", line]).output == "run/other 600\nrun/other.lock 600\n")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can play two users"))
    func `another user who reaches the socket gets no answer`() throws {
        let site = try AgentSite(hasPasscode: false)
        // As if an administrator had opened all of it.
        for path in [site.folder, site.folder + "/run"] { chmod(path, 0o755) }
        chmod(site.socket, 0o666)
        let asNobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups", "--", "ssh-add", "-l"]
        let outcome = try site.run("setpriv", asNobody)
        // The agent may have closed before ssh-add asks.
        let isLeftAlone =
            outcome.status == 128 + SIGPIPE || outcome.errors.contains("communication with agent failed")
        #expect(isLeftAlone, "\(outcome.status): \(outcome.output)\(outcome.errors)")
        #expect(outcome.status != 0)
        #expect(outcome.output == "")
        #expect(try site.run("ssh-add", ["-l"]).output == "The agent has no identities.\n")
    }

    @Test func `a socket that systemd hands over is served`() throws {
        let site = try AgentSite(hasPasscode: false)
        let path = site.folder + "/activated"
        let activator = Process()
        // It closes all that it inherits, from which Foundation would conclude that it has ended. The shell does not.
        activator.executableURL = URL(filePath: "/bin/sh")
        activator.arguments = [
            "-c",
            "systemd-socket-activate -l \(path) \(ServiceProcess.program("chatelaine-ssh-agent")) serve & "
                + "echo $! > '\(site.folder)/pid'; wait",
        ]
        activator.environment = ["PATH": "/usr/bin:/bin", "CHATELAINE_KEYCHAIN": "memory:"]
        activator.standardInput = FileHandle.nullDevice
        activator.standardError = FileHandle.nullDevice
        try activator.runHearingSignals()
        defer {
            let identifier = (try? site.read("pid")).flatMap { pid_t($0.dropLast()) }
            if let identifier { kill(identifier, SIGKILL) }
            activator.waitForExit()
        }
        try waitUntil("systemd listens") { isListening(at: path) }
        let outcome = try site.run("ssh-add", ["-l"], ["SSH_AUTH_SOCK": path])
        #expect(outcome.output == "The agent has no identities.\n", "\(outcome.errors)")
    }

    @Test func `an agent that is stopped and started anew has the stored keys, and forgets those in memory`() throws {
        let site = try AgentSite(hasPasscode: false)
        _ = try site.createKey("stored", ["--no-presence"])
        try site.makeKey("added")
        try site.succeed("ssh-add", ["-q", "added"])
        #expect(try site.listed() == ["added", "stored"])
        try site.restart()
        #expect(try site.listed() == ["stored"])
        try site.write("text", to: "file")
        try site.succeed("ssh-keygen", ["-Y", "sign", "-q", "-f", "stored.pub", "-n", "file", "file"])
    }
}
