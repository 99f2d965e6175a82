import Foundation
import Glibc
import KeychainTestSupport

/// A log-in with a service manager of the user's own, as on most desktops: `systemd --user`, with the bus that it starts,
/// gnome-keyring's unit, and ours, installed by hand. It runs in namespaces and a control group of its own.
final class ManagedSession {
    /// Why there can be none here, or nil.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "needs root, for control groups and mounts of a test's own" }
        for path in ["/usr/lib/systemd/systemd", "/usr/lib/systemd/user/dbus.socket", unit(gnomeKeyring)]
        where !FileManager.default.fileExists(atPath: path) {
            return "needs \(path)"
        }
        guard (try? ManagedSession()) != nil else { return "the user's service manager does not start here" }
        return nil
    }()

    private static let gnomeKeyring = "gnome-keyring-daemon.service"
    private static func unit(_ name: String) -> String { "/usr/lib/systemd/user/" + name }

    private let folder: String
    private var machine: Process?

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/session-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder + "/home", withIntermediateDirectories: true)
        try installUnits()
        try logIn()
    }

    deinit {
        logOut()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var log: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }

    private func installUnits() throws {
        let sources =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path + "/systemd/user/"
        let units = folder + "/home/.config/systemd/user"
        try FileManager.default.createDirectory(
            atPath: units + "/sockets.target.wants",
            withIntermediateDirectories: true
        )
        let programs = (ServiceProcess.program("chatelained") as NSString).deletingLastPathComponent
        let sockets = ["chatelained.socket", "chatelained-control.socket"]
        for name in sockets + ["chatelained.service", "chatelaine-secrets.service"] {
            try String(contentsOfFile: sources + name, encoding: .utf8)
                .replacingOccurrences(of: "/usr/libexec/chatelaine", with: programs)
                .write(toFile: "\(units)/\(name)", atomically: true, encoding: .utf8)
        }
        for name in sockets {
            try FileManager.default.createSymbolicLink(
                atPath: "\(units)/sockets.target.wants/\(name)",
                withDestinationPath: "\(units)/\(name)"
            )
        }
        // What a desktop's log-in comes to.
        try "[Unit]\nWants=graphical-session-pre.target \(Self.gnomeKeyring)\n".write(
            toFile: units + "/desktop.target",
            atomically: true,
            encoding: .utf8
        )
    }

    // MARK: - Logging in and out

    func logInAgain() throws {
        logOut()
        try logIn()
    }

    private func logIn() throws {
        for name in ["run", "home"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)",
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        machine = try started(["sh", "-c", Self.boots, folder])
        try waitUntil("the service manager runs") {
            try self.run("systemctl --user is-active default.target").output == "active\n"
        }
        let outcome = try run("systemctl --user start desktop.target")
        guard outcome.status == 0 else { throw NeverHappened(description: "the desktop: \(outcome.output)") }
    }

    private func logOut() {
        guard let machine else { return }
        kill(machine.processIdentifier, SIGKILL)
        machine.waitForExit()
        self.machine = nil
        try? FileManager.default.removeItem(atPath: folder + "/run")
        // Empty as soon as the last process is gone.
        for _ in 0..<500 {
            guard let cleaner = try? started(["sh", "-c", Self.cleans, folder]) else { return }
            if cleaner.waitForExit() == 0 { return }
            usleep(20_000)
        }
    }

    /// The manager counts its own processes from a group that nobody else is in, and thinks that systemd has started the
    /// machine.
    private static let group = """
        if [ -d /sys/fs/cgroup/systemd ]; then top=/sys/fs/cgroup/systemd; else top=/sys/fs/cgroup; fi
        group=$top/chatelaine-${0##*/}

        """

    private static let boots =
        group + """
            mkdir "$group" && echo $$ >"$group/cgroup.procs" || exit 1
            # The bus looks for files in the home folder that this list names, and not the environment.
            awk -F: -v OFS=: -v home="$0/home" '$3 == 0 { $6 = home } { print }' /etc/passwd >"$0/passwd" || exit 1
            exec unshare --mount --pid --cgroup --fork --kill-child --mount-proc sh -c '
                mount -t tmpfs -o mode=755 tmpfs /run && mkdir -p /run/systemd/system || exit 1
                mount --bind "$0/passwd" /etc/passwd || exit 1
                case $1 in
                    */systemd) umount "$1" && mount -t cgroup -o none,name=systemd systemd "$1" || exit 1 ;;
                    *) umount "$1" && mount -t cgroup2 cgroup2 "$1" || exit 1 ;;
                esac
                cd "$0" && /usr/lib/systemd/systemd --user --log-target=console & wait
            ' "$0" "$top"
            """

    private static let cleans = group + "[ ! -e \"$group\" ] || find \"$group\" -depth -type d -exec rmdir {} +"

    private var environment: [String: String] {
        [
            "HOME": folder + "/home", "XDG_RUNTIME_DIR": folder + "/run", "LC_ALL": "C.UTF-8",
            "PATH": (ServiceProcess.program("chatelaine") as NSString).deletingLastPathComponent
                + ":/usr/sbin:/usr/bin:/sbin:/bin",
        ]
        .merging(QuickPasscodes.environment) { $1 }
    }

    private func started(_ words: [String]) throws -> Process {
        if !FileManager.default.fileExists(atPath: folder + "/log") {
            try Data().write(to: URL(filePath: folder + "/log"))
        }
        let log = FileHandle(forWritingAtPath: folder + "/log")
        _ = try log?.seekToEnd()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.runHearingSignals()
        return process
    }

    // MARK: - In the session

    func waitUntil(_ what: String, _ condition: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try !condition() {
            guard ContinuousClock.now < deadline, machine?.isRunning ?? false else {
                throw NeverHappened(description: "waited in vain until \(what): \(log.suffix(2_000))")
            }
            usleep(50_000)
        }
    }

    /// Runs a line of bash. Its output has both streams.
    func run(_ line: String, input: String = "") throws -> SecretsSite.Outcome {
        let machine = machine?.processIdentifier ?? 0
        return try FinishedProgram(
            [
                "nsenter", "--mount=/proc/\(machine)/ns/mnt", "--pid=/proc/\(machine)/ns/pid_for_children", "setsid",
                "--wait", "bash", "-c", "exec 2>&1; cd \"$HOME\"; \(line)",
            ],
            in: folder,
            environment: environment.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/run/bus"]) { $1 },
            input: Data(input.utf8),
            hasOwnSession: false
        )
    }

    func python(_ script: String) throws -> SecretsSite.Outcome {
        try Data(script.utf8).write(to: URL(filePath: folder + "/script.py"))
        return try run("/usr/bin/python3 \(folder)/script.py")
    }
}
