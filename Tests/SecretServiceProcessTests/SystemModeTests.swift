import Foundation
import KeychainTestSupport
import Testing

/// The Secret Service with the system's keychain service, which tells programs apart by who has installed them.
@Suite(
    "The Secret Service with the system's service",
    .timeLimit(.minutes(5)),
    .enabled(if: SystemMode.isPossible, "\(SystemMode.reason)")
)
struct SystemModeTests {
    private let machine: SystemMachine
    private let variables: [String: String]

    init() throws {
        machine = try SystemMachine(installing: ["chatelaine", "chatelaine-secrets"])
        let bus = machine.home + "/bus"
        variables = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=" + bus]
        try machine.start(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=" + bus],
            log: "bus.log",
            variables
        )
        try waitUntil("the bus is there") { FileManager.default.fileExists(atPath: bus) }
        try machine.start(["chatelaine-secrets", "serve"], log: "secrets.log", variables)
        let named = try machine.run(
            ["gdbus", "wait", "--session", "--timeout", "30", "org.freedesktop.secrets"],
            variables
        )
        try #require(named.status == 0, "\(machine.read("secrets.log"))\(machine.log)")
    }

    private func run(_ words: [String], input: String = "") throws -> FinishedProgram {
        try machine.run(words, input: input, variables)
    }

    @Test func `secret-tool stores and finds a secret, which is in the person's keychain`() throws {
        let stored = try run(["secret-tool", "store", "--label=a label", "service", "mail"], input: "geheim")
        #expect(stored.status == 0, "\(stored.errors)\(machine.read("secrets.log"))\(machine.log)")
        #expect(try run(["secret-tool", "lookup", "service", "mail"]).output == "geheim")
        let found = try run(["secret-tool", "search", "service", "mail"])
        #expect((found.output + found.errors).contains("label = a label"), "\(found.output)\(found.errors)")
        #expect(try run(["secret-tool", "clear", "service", "mail"]).status == 0)
        #expect(try run(["secret-tool", "lookup", "service", "mail"]).status == 1)
    }

    @Test func `the secrets are those of the installed program: a copy of it does not have them`() throws {
        #expect(try run(["secret-tool", "store", "--label=a", "service", "mail"], input: "geheim").status == 0)
        let copy = machine.home + "/chatelaine-secrets"
        #expect(try run(["cp", SystemMachine.programs + "/chatelaine-secrets", copy]).status == 0)
        // On a bus of its own.
        let script =
            "'\(copy)' serve & gdbus wait --session --timeout 30 org.freedesktop.secrets; "
            + "secret-tool lookup service mail; echo \"status $?\"; kill $!"
        let other = try run(["dbus-run-session", "--", "sh", "-c", script])
        #expect(other.output.contains("status 1") && !other.output.contains("geheim"), "\(other.output)\(other.errors)")
    }

    @Test func `nobody but root looks into the service, not even its own user, and it leaves no core`() throws {
        let found = try machine.run(["pgrep", "-f", "chatelaine-secrets serve"], asRoot: true)
        let process = try #require(found.lines.last)
        for file in ["environ", "maps", "mem"] {
            let own = try run(["head", "-c", "1", "/proc/\(process)/\(file)"])
            #expect(own.status == 1, "\(file): \(own.output)")
        }
        let limits = try machine.run(["cat", "/proc/\(process)/limits"], asRoot: true).output
        #expect(limits.contains(#/Max core file size +0 +0/#), "\(limits)")
        // It is still served, and told apart.
        #expect(try run(["secret-tool", "store", "--label=a", "service", "mail"], input: "geheim").status == 0)
        #expect(try run(["secret-tool", "lookup", "service", "mail"]).output == "geheim")
    }
}
