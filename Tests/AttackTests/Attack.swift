import Testing

/// One way to get at the secret of an installed program as its own user, and what stops it.
struct Attack: Sendable, CustomTestStringConvertible {
    let name: String
    /// What is run, with places of the site in it.
    let command: @Sendable (AttackSite) -> [String]
    var environment: @Sendable (AttackSite) -> [String: String] = { _ in [:] }
    /// Each of these checks alone stops it; without all of them it succeeds.
    let stoppedBy: [String]
    /// What has to be left out besides for it to succeed, and would not stop it alone.
    var besides: [String] = []

    var testDescription: String { name }

    init(
        _ name: String,
        _ attack: String,
        stoppedBy: [String],
        besides: [String] = [],
        environment: @escaping @Sendable (AttackSite) -> [String: String] = { _ in [:] }
    ) {
        self.name = name
        command = { [$0.attacker, attack] }
        self.environment = environment
        self.stoppedBy = stoppedBy
        self.besides = besides
    }

    init(
        _ name: String,
        running command: @escaping @Sendable (AttackSite) -> [String],
        stoppedBy: [String],
        environment: @escaping @Sendable (AttackSite) -> [String: String] = { _ in [:] }
    ) {
        self.name = name
        self.command = command
        self.environment = environment
        self.stoppedBy = stoppedBy
    }

    func run(on service: AttackedService, _ site: AttackSite) throws -> Command.Result {
        let environment = site.environment
            .merging(["SOCKET": service.socket]) { $1 }
            .merging(environment(site)) { $1 }
        return try Command(command(site), as: AttackSite.user, environment: environment).run()
    }
}

extension Attack {
    static let onTheHandshake: [Attack] = [
        Attack("the process that connected becomes the victim, its child answers", "fork", stoppedBy: ["sender"]),
        Attack(
            "the answer was spliced into the socket before, and is written anew",
            "splice",
            stoppedBy: ["empty-queue", "descriptor"],
            besides: ["prompt-reading"]
        ),
        Attack("the victim copies words to its output, which is the connection", "output", stoppedBy: ["descriptor"]),
        Attack(
            "the victim copies the answer of another connection",
            "replay",
            stoppedBy: ["descriptor", "proof"]
        ),
        Attack(
            "the victim starts another program that has its connection",
            running: { [$0.victim, "become", $0.attacker, "use-inherited"] },
            stoppedBy: ["same-program"]
        ),
        Attack(
            "the victim's child has its connection",
            running: { [$0.victim, "fork", $0.attacker, "use-inherited"] },
            stoppedBy: ["sender"]
        ),
    ]

    static let fromNamespaces: [Attack] = [
        Attack(
            "a namespace's root forges who sends",
            "forge-sender",
            stoppedBy: ["marker", "user-namespace", "pid-namespace"]
        ),
        Attack(
            "a namespace's root forges the executable",
            "forge-executable",
            stoppedBy: ["marker", "user-namespace"]
        ),
        Attack(
            "the executable's bytes change by an overlay",
            "copy-up",
            stoppedBy: [
                "marker", "user-namespace", "mount-namespace", "root", "file-owner", "file-marker", "file-mount",
            ]
        ),
        Attack(
            "a library is bound over the victim's",
            "bind-library",
            stoppedBy: ["marker", "user-namespace", "mount-namespace", "root", "file-mount"]
        ) { ["VICTIM": $0.dynamicVictim] },
    ]

    static let onTheStart: [Attack] = [
        Attack(
            "a filter gives the victim a copy of its socket",
            "inject-socket",
            stoppedBy: ["marker", "no-new-privileges", "seccomp"]
        ),
        Attack(
            "a filter tells the victim that it cannot be read",
            "fake-prctl",
            stoppedBy: ["marker", "no-new-privileges", "seccomp", "dumpability"]
        ),
        Attack(
            "a library is loaded into the victim without new privileges",
            "without-new-privileges",
            stoppedBy: ["marker", "no-new-privileges"]
        ) { ["VICTIM": $0.dynamicVictim, "LD_PRELOAD": $0.loot] },
        Attack("the victim is traced from its start", "trace-start", stoppedBy: ["marker", "tracer"]),
        Attack(
            "a library is loaded into a copy of the victim",
            running: { [$0.copy, "idle"] },
            stoppedBy: ["marker", "file-owner", "file-marker"]
        ) { ["LD_PRELOAD": $0.loot] },
        Attack(
            "an auditing library is loaded into a copy of the victim",
            running: { [$0.copy, "idle"] },
            stoppedBy: ["marker", "file-owner", "file-marker"]
        ) { ["LD_AUDIT": $0.loot] },
        Attack(
            "a copy of the victim finds another library beside itself",
            running: { [$0.folder + "/attackers/origin-copy", "idle"] },
            stoppedBy: ["marker", "file-owner", "file-marker"]
        ),
    ]

    static let onTheClient: [Attack] = ["process_vm_readv", "mem", "ptrace", "pidfd_getfd"].map { method in
        Attack(
            "a client that can be read is read by \(method)",
            "read-client",
            // A descriptor alone is good for nothing: what another process sends on it is not the client's.
            stoppedBy: method == "pidfd_getfd" ? ["dumpability", "sender"] : ["dumpability"]
        ) { _ in ["METHOD": method, "KIND": "naive"] }
    }
}
