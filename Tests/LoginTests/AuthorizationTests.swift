import EnclaveInterface
import Foundation
import KeychainTestSupport
import Testing

private let operations: [(name: String, operation: GuardedOperation)] = [
    ("backup", .backup), ("restore", .restore), ("export", .export), ("rotate-keys", .rotateKeys),
    ("set-passcode", .setPasscode), ("remove-passcode", .removePasscode), ("confirm-passcode", .confirmPasscode),
    ("change-settings", .changeSettings), ("synchronize", .synchronize),
]

/// What malware puts into the environment of a program that runs as root.
private let hostileEnvironment = [
    "PKEXEC_UID": "\(AuthorizationSite.bob)", "LD_PRELOAD": "/nonexistent/loot.so", "LD_AUDIT": "/nonexistent/loot.so",
    "LD_LIBRARY_PATH": "/nonexistent", "GCONV_PATH": "/nonexistent", "LOCPATH": "/nonexistent",
    "GLIBC_TUNABLES": "glibc.malloc.check=3", "MALLOC_TRACE": "/nonexistent/trace", "IFS": "x", "TZ": ":/dev/zero",
    "CHATELAINE_ENCLAVE": "/nonexistent", "HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent",
]

/// chatelaine-authorize where the real polkit decides, with its own agent for terminals.
@Suite(.enabled(if: AuthorizationSite.obstacle == nil, "\(AuthorizationSite.obstacle ?? "")"), .timeLimit(.minutes(5)))
struct AuthorizationByPolkitTests {
    private let site: AuthorizationSite

    init() throws {
        site = try AuthorizationSite(withPolkit: true)
    }

    /// As a program of alice's starts it: with an agent for its terminal, since the one within pkexec is refused by polkitd
    /// ("No session for cookie", in polkit 0.113 and since). pkexec's subject is the process before it.
    private func pkexec(_ operation: String, hasAgent: Bool = true) -> [String] {
        let agent = """
            place=$(mktemp -d); mkfifo $place/ready; pkttyagent --process $$ --notify-fd 3 3>$place/ready &
            agent=$!; cat $place/ready >/dev/null; rm -r $place
            """
        let line = """
            \(hasAgent ? agent : "")
            pkexec --disable-internal-agent \(AuthorizationSite.program) \(operation); status=$?
            \(hasAgent ? "kill $agent; wait" : "")
            exit $status
            """
        return ["/bin/sh", "-c", line]
    }

    @Test func `the right password gives a token, once, for that operation and that user alone`() throws {
        for (name, operation) in operations {
            let outcome = try site.onTerminal(pkexec(name))
            let token = try #require(outcome.token, "\(outcome.status) \(outcome.output) \(outcome.screen)")
            #expect(outcome.status == 0)
            #expect(outcome.screen.contains("AUTHENTICATING FOR org.chatelaine.\(name) "), "\(outcome.screen)")
            #expect(try !site.redeem(token, for: operation, of: AuthorizationSite.bob))
            #expect(try site.redeem(token, for: operation))
            #expect(try !site.redeem(token, for: operation))
        }
        let other = try #require(try site.onTerminal(pkexec("export")).token)
        #expect(try !site.redeem(other, for: .backup))
    }

    @Test func `each operation is an action that asks for the user's own password, each time anew`() throws {
        let names = [
            "backup", "restore", "export", "rotate-keys", "set-passcode", "remove-passcode", "confirm-passcode",
            "change-settings", "synchronize",
        ]
        for name in names {
            let action = try site.run("pkaction --verbose --action-id org.chatelaine.\(name)")
            #expect(action.status == 0)
            for kind in ["any", "inactive", "active"] {
                let line = action.output.split(separator: "\n").first { $0.contains("implicit \(kind):") }
                #expect(line?.hasSuffix(" auth_self") == true, "\(action.output)")
            }
            #expect(action.output.contains("policykit.exec.path -> \(AuthorizationSite.program)"))
            #expect(action.output.contains("policykit.exec.argv1 -> \(name)"))
            #expect(!action.output.contains("allow_gui"))
            let message = action.output.split(separator: "\n").first { $0.contains("message:") }
            #expect(message?.contains("Authentication is required to ") == true)
        }
    }

    @Test func `a wrong password, and somebody who does not want to, give nothing`() throws {
        for (answer, password) in [(AuthorizationSite.Answer.type, "wrong"), (.interrupt, ""), (.hangUp, "")] {
            let outcome = try site.onTerminal(pkexec("backup"), answer, password)
            #expect(outcome.status != 0)
            #expect(outcome.output.isEmpty, "\(answer) \(outcome.output)")
        }
    }

    @Test func `where nobody can be asked it ends at once`() throws {
        let outcome = try site.withoutTerminal(pkexec("backup", hasAgent: false))
        #expect(outcome.status != 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.duration < .seconds(5), "\(outcome.duration)")
    }

    @Test func `started by a user without pkexec it refuses, since polkit decides`() throws {
        let limits = ["", "ulimit -n 3; ", "ulimit -f 0; ", "ulimit -s 100; "]
        for limit in limits {
            let outcome = try site.onTerminal(
                ["/bin/sh", "-c", "\(limit)exec \(AuthorizationSite.program) backup"],
                environment: hostileEnvironment
            )
            #expect(outcome.status != 0)
            #expect(outcome.output.isEmpty)
            #expect(!outcome.screen.contains("assword:"), "\(limit) \(outcome.screen)")
            if limit.isEmpty { #expect(outcome.screen.contains("polkit decides"), "\(outcome.screen)") }
        }
    }

    @Test func `malware without a person gets nothing in twenty tries, and leaves no process`() throws {
        for _ in 0..<10 {
            #expect(
                try site.withoutTerminal(pkexec("export", hasAgent: false), environment: hostileEnvironment).token
                    == nil
            )
            let direct = [AuthorizationSite.program, "export"]
            #expect(try site.withoutTerminal(direct, environment: hostileEnvironment).token == nil)
        }
        #expect(try site.processesOfAlice().isEmpty)
        // The same, with the person.
        #expect(try site.onTerminal(pkexec("export")).token != nil)
    }
}

/// The same where there is no polkit: as a set-user-ID program, by PAM.
@Suite(.enabled(if: AuthorizationSite.obstacle == nil, "\(AuthorizationSite.obstacle ?? "")"), .timeLimit(.minutes(5)))
struct AuthorizationByPAMTests {
    private let site: AuthorizationSite

    init() throws {
        site = try AuthorizationSite(withPolkit: false)
    }

    @Test func `the right password gives a token, for that operation and that user alone`() throws {
        for (name, operation) in operations {
            let outcome = try site.onTerminal([AuthorizationSite.program, name], environment: hostileEnvironment)
            let token = try #require(outcome.token, "\(outcome.status) \(outcome.output) \(outcome.screen)")
            #expect(outcome.screen.contains("Authentication is required to "))
            #expect(try !site.redeem(token, for: operation, of: AuthorizationSite.bob))
            #expect(try site.redeem(token, for: operation))
        }
        let other = try #require(try site.onTerminal([AuthorizationSite.program, "export"]).token)
        #expect(try !site.redeem(other, for: .backup))
    }

    @Test func `a wrong password is waited for, and gives nothing`() throws {
        let outcome = try site.onTerminal([AuthorizationSite.program, "export"], .type, "wrong")
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.screen.contains("the authentication failed"), "\(outcome.screen)")
        #expect(!outcome.screen.contains("wrong"), "what is typed is not shown")
        #expect(outcome.duration > .seconds(1), "\(outcome.duration)")
    }

    @Test(arguments: [AuthorizationSite.Answer.interrupt, .hangUp])
    func `somebody who does not want to gives nothing`(_ answer: AuthorizationSite.Answer) throws {
        let outcome = try site.onTerminal([AuthorizationSite.program, "export"], answer)
        #expect(outcome.status != 0)
        #expect(outcome.output.isEmpty)
        #expect(try site.processesOfAlice().isEmpty)
    }

    @Test func `an account that has expired is refused, though the password is right`() throws {
        #expect(try site.run("usermod --expiredate 1 alice").status == 0)
        let outcome = try site.onTerminal([AuthorizationSite.program, "export"])
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
    }

    @Test func `a password is taken from a terminal alone, and where there is none it ends at once`() throws {
        let line = "printf '%s\\n' '\(AuthorizationSite.password)' | \(AuthorizationSite.program) export"
        let outcome = try site.withoutTerminal(["/bin/sh", "-c", line])
        #expect(outcome.output.isEmpty)
        #expect(outcome.screen.contains("no terminal"), "\(outcome.screen)")
        #expect(outcome.duration < .seconds(2), "\(outcome.duration)")
        // In the background of one, too.
        let background = try site.onTerminal(
            ["/bin/sh", "-c", "set -m; \(AuthorizationSite.program) export < /dev/tty & wait $!"]
        )
        #expect(background.output.isEmpty)
        #expect(background.screen.contains("no terminal"), "\(background.screen)")
    }

    @Test func `closed descriptors and limits do no harm`() throws {
        for line in [
            "exec 0<&- 1>&- 2>&-", "exec 0<&-", "ulimit -n 3", "ulimit -f 0", "ulimit -c unlimited", "trap '' 14 2",
        ] {
            let outcome = try site.onTerminal(["/bin/sh", "-c", "\(line); exec \(AuthorizationSite.program) backup"])
            // It gives a token to whoever authenticated, or nothing.
            #expect(outcome.token != nil || outcome.output.isEmpty, "\(line): \(outcome.output)")
        }
        // No file is the worse for it: nothing was written where descriptors used to be.
        #expect(try site.processesOfAlice().isEmpty)
    }

    @Test(arguments: ["", "nonsense", "backup extra", "--help", "1"])
    func `it takes one operation and nothing else`(_ arguments: String) throws {
        let words = [AuthorizationSite.program] + arguments.split(separator: " ").map(String.init)
        for outcome in [
            try site.onTerminal(words),
            try site.run("PKEXEC_UID=\(AuthorizationSite.alice) exec \(words.joined(separator: " "))"),
        ] {
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(!outcome.screen.contains("assword:"))
        }
    }

    @Test func `root is refused, unless pkexec says for whom it asks`() throws {
        let program = AuthorizationSite.program
        for number in [
            "0", "-1", "+1", "", " 64140", "64140 ", "064140", "0xfa8c", "4294967295", "4294967296",
            "99999999999999999999", "64139",
        ] {
            let outcome = try site.run("PKEXEC_UID='\(number)' \(program) backup")
            #expect(outcome.status == 1, "\(number)")
            #expect(outcome.output.isEmpty, "\(number)")
        }
        #expect(try site.run("\(program) backup").screen.contains("root needs no authorization"))
        // As pkexec starts it.
        let token = try #require(try site.run("PKEXEC_UID=\(AuthorizationSite.alice) \(program) backup").token)
        #expect(try site.redeem(token, for: .backup))
    }

    @Test func `without the set-user-ID bit a user gets nothing by it`() throws {
        #expect(try site.run("chmod 755 \(AuthorizationSite.program)").status == 0)
        let outcome = try site.onTerminal([AuthorizationSite.program, "backup"], environment: hostileEnvironment)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
    }

    @Test func `malware without a person gets nothing in twenty tries, and leaves no process`() throws {
        for _ in 0..<20 {
            let direct = [AuthorizationSite.program, "export"]
            #expect(try site.withoutTerminal(direct, environment: hostileEnvironment).token == nil)
        }
        #expect(try site.processesOfAlice().isEmpty)
    }
}
