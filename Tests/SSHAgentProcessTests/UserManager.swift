import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// A real `systemd --user`, with the units of the ssh agent installed for one user.
///
/// systemd asks whether the machine was booted with it, and wants a control group of its own: both are there in a mount
/// namespace, in which the programs of the test have to run too.
final class UserManager: @unchecked Sendable {
    // Unchecked: a test has one, and uses it from one thread.
    private static let program = "/usr/lib/systemd/systemd"
    private let mounts: OwnMounts
    private var manager = Process()
    /// Its control group, in their folder and as the tests see it.
    private let name: String
    private let group: String
    private var site: AgentSite?

    /// What stands in the way; nil where nothing does.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "only root can give systemd a namespace and a control group" }
        guard access(program, X_OK) == 0 else { return "systemd is not installed" }
        guard let groups = controlGroups else { return "there are no control groups of version 2" }
        let probe = groups + "/chatelaine-probe-\(UUID().uuidString.prefix(8))"
        guard mkdir(probe, 0o755) == 0 else { return "no control group can be made" }
        rmdir(probe)
        return nil
    }()

    static var isPossible: Bool { obstacle == nil }
    static var reason: String { obstacle ?? "nothing stands in the way" }

    /// Where the control groups of version 2 are mounted.
    private static var controlGroups: String? {
        let table = (try? KernelFile.text("/proc/self/mountinfo")) ?? ""
        for line in table.split(separator: "\n") {
            let halves = line.components(separatedBy: " - ")
            if halves.count == 2, halves[1].hasPrefix("cgroup2 ") {
                return halves[0].split(separator: " ").dropFirst(4).first.map(String.init)
            }
        }
        return nil
    }

    init() throws {
        name = "chatelaine-\(UUID().uuidString.prefix(8))"
        let groups = try #require(Self.controlGroups)
        group = groups + "/" + name
        try #require(mkdir(group, 0o755) == 0)
        let script = """
            mount -t tmpfs tmpfs /run
            mkdir -p /run/systemd/system /run/sshd
            test '\(groups)' = /sys/fs/cgroup || mount --bind '\(groups)' /sys/fs/cgroup
            """
        mounts = try OwnMounts(script, sign: "/run/made")
    }

    /// What starts a program in the namespace.
    var wrapper: [String] { mounts.wrapper }

    deinit {
        stop()
        // What the manager has left.
        try? "1".write(toFile: group + "/cgroup.kill", atomically: false, encoding: .utf8)
        _ = eventually(patience: 5) { remove(group) }
    }

    private func remove(_ group: String) -> Bool {
        let inside = (try? FileManager.default.contentsOfDirectory(atPath: group)) ?? []
        for name in inside
        where !name.contains(".") || name.hasSuffix(".slice") || name.hasSuffix(".scope")
            || name.hasSuffix(".service") || name.hasSuffix(".socket")
        {
            var status = stat()
            if lstat(group + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                _ = remove(group + "/" + name)
            }
        }
        return rmdir(group) == 0
    }

    /// Begins the session of a site's user, with the units in their home folder.
    func start(for site: AgentSite) throws {
        self.site = site
        let units = site.folder + "/.local/share/systemd/user"
        try FileManager.default.createDirectory(atPath: units, withIntermediateDirectories: true)
        let passwords = try AgentSite.passwords(withHome: site.folder)
        try site.succeed("mount", ["--bind", passwords, "/etc/passwd"])
        let programs = ServiceProcess.program("")
        for name in ["chatelaine-ssh-agent.socket", "chatelaine-ssh-agent.service"] {
            let text = try String(contentsOf: Self.sources.appending(path: "systemd/user/" + name), encoding: .utf8)
            try Data(text.replacing("/usr/libexec/chatelaine/", with: programs).utf8)
                .write(to: URL(filePath: units + "/" + name))
        }
        try begin()
    }

    /// The folder of the package.
    static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    private func begin() throws {
        let site = try #require(site)
        manager = Process()
        manager.executableURL = URL(filePath: "/usr/bin/env")
        let log = site.folder + "/systemd.log"
        // It closes all that it inherits, from which Foundation would conclude that it has ended. The shell does not.
        // Outside of its own group systemd would take all processes of the machine for its own.
        let script =
            "echo $$ >'/sys/fs/cgroup/\(name)/cgroup.procs' || exit 1; "
            + "\(Self.program) --user --log-target=console >>'\(log)' 2>&1 & "
            + "echo $! >'\(site.folder)/systemd.pid'; wait"
        manager.arguments = ["sh", "-c", "exec \(wrapper.joined(separator: " ")) sh -c \"$0\"", script]
        manager.environment = site.environment.filter { $0.key != "SSH_AUTH_SOCK" }
        manager.standardInput = FileHandle.nullDevice
        try manager.runHearingSignals()
        try waitUntil("systemd has begun the session: \((try? site.read("systemd.log")) ?? "")") {
            try site.run("systemctl", ["--user", "is-active", "basic.target"]).output == "active\n"
        }
    }

    private func stop() {
        guard manager.isRunning else { return }
        if let pid = (try? site?.read("systemd.pid")).flatMap({ $0 }).flatMap({ pid_t($0.dropLast()) }) {
            kill(pid, SIGTERM)
            if !eventually(patience: 20, { kill(pid, 0) != 0 }) { kill(pid, SIGKILL) }
        }
        manager.waitForExit()
    }

    /// Logs out and in again.
    func restart() throws {
        stop()
        try begin()
    }

    /// What the session's programs have in their environment.
    func variable(_ name: String) throws -> String? {
        let lines = try #require(site).run("systemctl", ["--user", "show-environment"]).lines
        return lines.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
