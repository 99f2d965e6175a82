import Machine
import Testing

/// An installed program of alice's, `victim`, and others of hers that want what it keeps.
struct Attacks {
    static let secret = "LOOT-of-a-machine"
    private static let programs = "/mnt/test/attacks"
    private static let environment =
        "SOCKET=/run/chatelaine/keychain.sock AUTH=/mnt/test/authentication.frame VICTIM=/usr/local/bin/victim"
        + " LOOT_LIBRARY=\(programs)/loot.so PATH=/usr/bin:/bin"

    let machine: Machine

    /// Signs and installs the victim, as docs/signing.md says, and has it store its secret.
    init(on machine: Machine) throws {
        self.machine = machine
        try machine.root(
            """
            set -e
            cat >/root/victim.entitlements <<'END'
            <plist version="1.0"><dict><key>keychain-access-groups</key>
            <array><string>$(AppIdentifierPrefix)victim</string></array></dict></plist>
            END
            chatelaine team new T0TEAM --out /root/team.pem --certificate /root/team-certificate.pem
            chatelaine team trust /root/team-certificate.pem
            install -m 755 \(Self.programs)/victim /usr/local/bin/victim
            chatelaine sign --team /root/team.pem --entitlements /root/victim.entitlements /usr/local/bin/victim
            chatelaine install-app /usr/local/bin/victim
            """
        )
        try run("/usr/local/bin/victim get", request: "add")
        let found = try run("/usr/local/bin/victim get")
        guard found.says(Self.secret) else { throw Failure("the victim does not find its secret: \(found.text)") }
    }

    /// As alice.
    @discardableResult func run(
        _ command: String,
        request: String = "find",
        environment: String = "",
        status: Int32? = 0
    ) throws -> Output {
        let words = "env -i \(Self.environment) REQUEST=/mnt/test/\(request).frame \(environment) timeout 60 \(command)"
        return try machine.run(as: "alice", words, status: status)
    }

    /// What one of the programs of the attacker's gets.
    func attack(_ name: String, environment: String = "") throws -> Output {
        try run("\(Self.programs)/attacker \(name)", environment: environment, status: nil)
    }

    /// The most important ones of docs/attacks.md: what each is called, the program's word for it, and what it needs.
    static let all: [(sentence: String, name: String, environment: String)] = [
        ("a program that says it is the victim", "ask", ""),
        ("the process that connected becomes the victim, its child answers", "fork", ""),
        ("the answer was spliced into the socket before", "splice", ""),
        ("the same, with a descriptor behind the answer", "splice-with-descriptor", ""),
        ("the victim copies words to its output, which is the connection", "output", ""),
        ("the victim copies the answer of another connection", "replay", ""),
        ("a namespace's root forges who sends", "forge-sender", ""),
        ("a namespace's root forges the executable", "forge-executable", ""),
        ("the executable's bytes change by an overlay", "copy-up", ""),
        ("a filter gives the victim a copy of its socket", "inject-socket", ""),
        ("a filter tells the victim that it cannot be read", "fake-prctl", ""),
        ("the victim is traced from its start", "trace-start", ""),
        ("the client's memory is read", "read-client", "METHOD=process_vm_readv KIND=hold"),
        ("the client's memory is read through /proc", "read-client", "METHOD=mem KIND=hold"),
        ("the client is traced", "read-client", "METHOD=ptrace KIND=hold"),
        ("the client's connection is copied", "read-client", "METHOD=pidfd_getfd KIND=hold"),
    ]
}

extension Scenarios {
    @Suite(.serialized) struct AttackTests {
        @Test func `an installed program keeps its secret from its user's other programs`() throws {
            try Installed.scenario { machine in
                let attacks = try Attacks(on: machine)
                for (sentence, name, environment) in Attacks.all {
                    let output = try attacks.attack(name, environment: environment)
                    try #require(!output.says(Attacks.secret), "\(sentence)")
                }
                for loader in ["LD_PRELOAD", "LD_AUDIT"] {
                    let output = try attacks.run(
                        "/usr/local/bin/victim hold",
                        environment: "\(loader)=/mnt/test/attacks/loot.so",
                        status: nil
                    )
                    try #require(!output.says(Attacks.secret), "\(loader)")
                }
                // A copy, and `security`, are other programs.
                try machine.run(as: "alice", "cp /usr/local/bin/victim ~/copy")
                try #require(!attacks.run("~/copy get", status: nil).says(Attacks.secret))
                try #require(!machine.run(as: "alice", "security dump-keychain -d", status: nil).says(Attacks.secret))
                // After all that it still works.
                try #require(attacks.run("/usr/local/bin/victim get").says(Attacks.secret))
            }
        }

        @Test func `two apps of one team share a password, and nobody else gets it`() throws {
            try Installed.scenario { machine in
                // `security` is a program like any other, once it has another name and a signature of its own.
                try machine.root(
                    """
                    set -e
                    cat >/root/shared.entitlements <<'END'
                    <plist version="1.0"><dict><key>keychain-access-groups</key>
                    <array><string>$(AppIdentifierPrefix)shared</string></array></dict></plist>
                    END
                    for team in EXAMPLE001 STRANGER02; do
                        chatelaine team new $team --out /root/$team.pem
                        chatelaine team trust /root/$team.pem
                    done
                    app() {
                        install -m 755 /usr/bin/security /usr/local/bin/$1
                        # So that no two are one file.
                        chatelaine sign --team /root/$2.pem --entitlements /root/shared.entitlements /usr/local/bin/$1
                        chatelaine install-app /usr/local/bin/$1
                    }
                    app mail EXAMPLE001
                    app calendar EXAMPLE001
                    app stranger STRANGER02
                    install -m 755 /usr/bin/security /usr/local/bin/unsigned
                    """,
                    seconds: 300
                )
                func run(_ words: String, status: Int32 = 0) throws -> Output {
                    try machine.run(as: "alice", words, status: status)
                }
                _ = try run("mail add-generic-password -s shared -a alice -w 'hunter 2'")
                try #require(run("calendar find-generic-password -s shared -w").text == "hunter 2\n")
                for other in ["stranger", "unsigned", "security"] {
                    _ = try run("\(other) find-generic-password -s shared -w", status: isNotFound)
                }
                _ = try machine.run(as: "bob", "calendar find-generic-password -s shared -w", status: isNotFound)
                try machine.root("chatelaine team revoke EXAMPLE001")
                let revoked = try machine.run(as: "alice", "calendar find-generic-password -s shared -w", status: nil)
                try #require(revoked.status != 0 && !revoked.says("hunter"))
            }
        }
    }
}
