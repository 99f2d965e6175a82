import Foundation
import Glibc
import KeychainTestSupport

/// A machine in namespaces as a container's: the system's keychain service, a program that was signed and installed, and
/// the Secret Service in the session of a user who runs both. The machine's own folders are left alone.
final class SystemSecretsSite {
    /// Why there can be none here, or nil.
    static let obstacle: String? = {
        if let obstacle = SystemMode.obstacle { return obstacle }
        let words = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "mount", "-t", "tmpfs", "tmpfs", "/run"]
        guard let tried = try? started(words), tried.waitForExit() == 0 else { return "needs mounts of one's own" }
        return nil
    }()

    /// Numbers that nobody has.
    private static let alice = 64_130
    private static let service = 64_131
    private static let identify = 64_132
    private static let enclave = 64_133
    private static let marker = 64_134

    private let folder: String
    private let machine: Process
    /// Signed: the command `security` under another name. What it stores is in the group `T0TEAM0001.mail`.
    var signedProgram: String { folder + "/bin/mail" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/system-\(UUID().uuidString.prefix(8))"
        try Self.prepare(folder)
        machine = try Self.started(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", Self.boots, folder],
            log: folder + "/log"
        )
        let deadline = ContinuousClock.now + .seconds(60)
        while try run("gdbus wait --session --timeout 1 org.freedesktop.secrets").status != 0 {
            let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
            guard ContinuousClock.now < deadline, machine.isRunning else {
                throw NeverHappened(description: "the Secret Service: " + log)
            }
        }
    }

    deinit {
        kill(machine.processIdentifier, SIGKILL)
        machine.waitForExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: - The machine

    /// Signs and installs, as an administrator does it: in a folder that only root can write to.
    private static func prepare(_ folder: String) throws {
        let program = ServiceProcess.program
        let prepared = try started(
            [
                "sh", "-e", "-c",
                """
                mkdir "$0" && chmod 755 "$0" && cd "$0" && mkdir bin && install -d -m 700 -o \(alice) -g \(alice) home
                cp --reflink=auto \(program("chatelaine-secrets")) bin/ && cp --reflink=auto \(program("security")) bin/mail
                # A bus serves users that have a name.
                { cat /etc/passwd; echo 'alice:x:\(alice):\(alice)::/:/bin/sh'; } >passwd
                echo '<plist version="1.0"><dict><key>keychain-access-groups</key><array>' >mail.entitlements
                echo '<string>T0TEAM0001.mail</string></array></dict></plist>' >>mail.entitlements
                chatelaine=\(program("chatelaine"))
                $chatelaine team new T0TEAM0001 --out team.pem
                $chatelaine team trust --teams "$0/teams" team.pem
                $chatelaine sign --team team.pem --entitlements mail.entitlements bin/mail
                $chatelaine install-app --marker-group \(marker) --teams "$0/teams" "$0/bin/mail"
                """, folder,
            ],
            log: folder + ".log"
        )
        let status = prepared.waitForExit()
        let log = try String(contentsOfFile: folder + ".log", encoding: .utf8)
        try FileManager.default.removeItem(atPath: folder + ".log")
        guard status == 0 else { throw NeverHappened(description: "the installation: " + log) }
    }

    private static let asAlice = "setpriv --reuid \(alice) --regid \(alice) --clear-groups"

    private static let boots = """
        mount -t tmpfs -o mode=755 tmpfs /run && install -d -m 755 /run/chatelaine && cd "$0" || exit 1
        mount --bind passwd /etc/passwd || exit 1
        \(ServiceProcess.program("chatelained")) --system --directory "$0/keychains" \
            --socket /run/chatelaine/keychain.sock --teams "$0/teams" --user \(service) --identify-user \(identify) \
            --marker-group \(marker) --enclave-user \(enclave) --enclave-directory "$0/enclave" --tpm none &
        until [ -S /run/chatelaine/keychain.sock ]; do sleep 0.05; done
        \(asAlice) dbus-daemon --session --nofork --nopidfile --address="unix:path=$0/home/bus" &
        until [ -S "$0/home/bus" ]; do sleep 0.05; done
        export DBUS_SESSION_BUS_ADDRESS="unix:path=$0/home/bus"
        \(asAlice) "$0/bin/chatelaine-secrets" serve &
        wait
        """

    private static func started(_ words: [String], log: String = "/dev/null") throws -> Process {
        if !FileManager.default.fileExists(atPath: log) { try Data().write(to: URL(filePath: log)) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"]
            .merging(QuickPasscodes.environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: log)
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.runHearingSignals()
        return process
    }

    // MARK: - Running programs

    /// Runs a line of bash as the user. Its output has both streams.
    func run(_ line: String, input: String = "") throws -> SecretsSite.Outcome {
        let namespaces = "/proc/\(machine.processIdentifier)/ns"
        return try FinishedProgram(
            ["nsenter", "--mount=\(namespaces)/mnt", "--pid=\(namespaces)/pid_for_children"]
                + Self.asAlice.split(separator: " ").map(String.init)
                + ["setsid", "--wait", "bash", "-c", "exec 2>&1; cd \"$HOME\"; \(line)"],
            in: folder,
            environment: [
                "PATH": folder + "/bin:/usr/bin:/bin", "HOME": folder + "/home", "LC_ALL": "C.UTF-8",
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/home/bus",
            ],
            input: Data(input.utf8),
            hasOwnSession: false,
            seconds: 120
        )
    }

    func python(_ script: String) throws -> SecretsSite.Outcome {
        try Data(script.utf8).write(to: URL(filePath: folder + "/script.py"))
        return try run("/usr/bin/python3 \(folder)/script.py")
    }
}
