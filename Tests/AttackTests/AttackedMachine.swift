import CodeSignature
import Foundation
import KeychainTestSupport
import Synchronization

/// A machine of its own, in namespaces as a container's: the service is where installed programs look for it, and process 1
/// is one that the service can compare its callers with. The machine's own folders are left alone.
final class AttackedMachine: Sendable {
    /// Why there can be none here, or nil.
    static let obstacle: String? = {
        if let obstacle = AttackSite.obstacle { return obstacle }
        let makes = Machine.succeeds([
            "unshare", "--mount", "--pid", "--fork", "--mount-proc", "mount", "-t", "tmpfs", "tmpfs", "/run",
        ])
        return makes && Command.find("nsenter") != nil ? nil : "needs unshare and nsenter with mounts of one's own"
    }()

    static let shared = Result { try AttackedMachine(AttackSite.shared.get()) }

    let site: AttackSite
    let folder: String
    let socket = "/run/chatelaine/keychain.sock"
    /// Its process 1's parent.
    private let process: Int32
    private let log: String
    private let key: TeamKey
    private let installed = Mutex<[String: String]>([:])

    /// - Parameters:
    ///   - daemon: the service, or the tests' own one.
    ///   - environment: of the service, on top of none.
    ///   - kernel: the one that the service sees; its callers see the machine's.
    init(
        _ site: AttackSite,
        daemon: String = "chatelained",
        options: [String] = [],
        on kernel: SeenKernel = .ofMachine,
        environment: [String: String] = [:]
    ) throws {
        self.site = site
        folder = site.folder + "/machines/" + UUID().uuidString.prefix(8)
        log = folder + "/log"
        guard let team = TeamIdentifier("T1TEAM") else { throw AttackFailure("no team") }
        key = try TeamKey(new: team)
        try FileManager.default.createDirectory(atPath: folder + "/teams", withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: site.folder + "/teams") {
            try FileManager.default.copyItem(atPath: site.folder + "/teams/" + name, toPath: folder + "/teams/" + name)
        }
        try TrustedTeams(directory: folder + "/teams").add(key.certificate)
        try FileManager.default.createDirectory(
            atPath: folder + "/home",
            withIntermediateDirectories: true,
            attributes: [.ownerAccountID: AttackSite.user, .groupOwnerAccountID: AttackSite.user]
        )
        let words = [
            "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
            """
            mount -t tmpfs -o mode=755 tmpfs /run && install -d -m 755 /run/chatelaine && ulimit -c unlimited || exit 1
            cd "$0" && "$@" & wait
            """, folder,
        ]
        process = try StartedDaemon(
            words + kernel.wrapper + [AttackedService.beside(daemon)]
                + StartedDaemon.options(in: folder, socket: socket, teams: folder + "/teams")
                + ["--tpm", "none"] + options,
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"].merging(environment) { $1 },
            log: log
        ).process
    }

    deinit { kill(process, SIGKILL) }

    var logText: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
    /// Where the victim's user may write.
    var home: String { folder + "/home" }

    // MARK: - Programs

    /// A program that lies beside the tests, as anybody has it.
    func plain(_ name: String) throws -> String {
        try installed.withLock { installed in
            let path = folder + "/plain-" + name
            if installed[path] == nil {
                try FileManager.default.copyItem(atPath: AttackedService.beside(name), toPath: path)
                installed[path] = path
            }
            return path
        }
    }

    /// The same, signed with the groups and installed by an administrator, under a name that tells its groups.
    func install(_ name: String, groups: [String]) throws -> String {
        try installed.withLock { installed in
            let path = folder + "/" + ([name] + groups).joined(separator: "-")
            if installed[path] == nil {
                try FileManager.default.copyItem(atPath: AttackedService.beside(name), toPath: path)
                try sign(path, groups: groups)
                installed[path] = path
            }
            return path
        }
    }

    /// Signs and marks what lies there.
    func sign(_ path: String, groups: [String]) throws {
        try sign(path, groups: groups, with: key)
        try mark(path)
    }

    /// Signs what lies there in the name of the machine's team, with a key of nobody's.
    func signAsForeigner(_ path: String, groups: [String]) throws {
        try sign(path, groups: groups, with: TeamKey(new: key.team))
    }

    private func sign(_ path: String, groups: [String], with key: TeamKey) throws {
        let list = """
            <plist version="1.0"><dict><key>keychain-access-groups</key>
            <array>\(groups.map { "<string>T1TEAM.\($0)</string>" }.joined())</array></dict></plist>
            """
        let entitlements = try EntitlementsTemplate.complete(Data(list.utf8), team: key.team, identifier: "app")
        try ProgramSigner.sign(path, entitlements: entitlements, with: key)
    }

    /// Installs what is signed.
    func mark(_ path: String) throws {
        let verifier = SignatureVerifier(teams: TrustedTeams(directory: folder + "/teams"))
        _ = try ProgramInstaller.install(path, markerGroup: AttackSite.markerGroup, verifier: verifier)
    }

    // MARK: - Running them

    /// A command in the machine; without a user, as root.
    ///
    /// - Parameter patience: after so many seconds it is ended. What hangs is a failure, and no end of the tests.
    func command(
        _ words: [String],
        as uid: UInt32? = AttackSite.user,
        environment: [String: String] = [:],
        patience: Int = 60
    ) -> Command {
        let variables = ["PATH": "/usr/bin:/bin", "HOME": home].merging(environment) { $1 }
        let inner = uid.map { Command(words, as: $0, environment: variables).words } ?? words
        return Command(
            [
                "timeout", "\(patience)", "nsenter", "--mount=/proc/\(process)/ns/mnt",
                "--pid=/proc/\(process)/ns/pid_for_children",
            ] + inner,
            environment: uid == nil ? variables.merging(["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"]) { $1 } : nil
        )
    }

    func run(
        _ words: [String],
        as uid: UInt32? = AttackSite.user,
        environment: [String: String] = [:],
        input: String = ""
    ) throws -> Command.Result {
        try command(words, as: uid, environment: environment).run(input: input)
    }

    /// The processes of a program in the machine, as root sees them from outside.
    func processes(named name: String) -> [Int32] {
        let everything = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let own = namespace(of: "\(process)", "pid_for_children")
        return everything.compactMap { Int32($0) }.filter { pid in
            guard namespace(of: "\(pid)", "pid") == own else { return false }
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
            return path?.hasSuffix("/" + name) == true
        }
    }

    private func namespace(of pid: String, _ kind: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/ns/\(kind)")
    }
}
