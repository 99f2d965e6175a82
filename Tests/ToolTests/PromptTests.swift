import Foundation
import Glibc
import Testing

@Suite struct PromptTests {
    let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    private func add(_ more: [String] = ["-w"]) throws -> PseudoTerminal {
        try PseudoTerminal(
            Sandbox.executables + "/security",
            ["add-generic-password", "-s", "mail", "-a", "alice"] + more,
            environment: sandbox.environment
        )
    }

    @Test
    func `a typed password is stored and is never on the screen`() throws {
        let terminal = try add()
        try terminal.wait(for: "password data for new item: ")
        #expect(!terminal.echoes)
        terminal.type("s3cret words\n")
        try terminal.wait(for: "retype password for new item: ")
        #expect(!terminal.echoes)
        terminal.type("s3cret words\n")
        #expect(try terminal.exitStatus() == 0)
        #expect(!terminal.seen.contains("s3cret"))
        #expect(terminal.echoes)
        #expect(try sandbox.run("security find-generic-password -s mail -w").output == "s3cret words\n")
    }

    @Test
    func `an option after -w is not the password`() throws {
        let terminal = try add(["-w", "-U"])
        try terminal.wait(for: "password data for new item: ")
        terminal.type("\n")
        try terminal.wait(for: "retype password for new item: ")
        terminal.type("\n")
        #expect(try terminal.exitStatus() == 0)
        #expect(try sandbox.run("security find-generic-password -s mail -w").output == "\n")
    }

    @Test
    func `two different answers store nothing`() throws {
        let terminal = try add()
        try terminal.wait(for: "password data for new item: ")
        terminal.type("one\n")
        try terminal.wait(for: "retype password for new item: ")
        terminal.type("two\n")
        #expect(try terminal.exitStatus() == 1)
        #expect(terminal.seen.contains("passwords don't match"))
        #expect(try sandbox.run("security find-generic-password -s mail").status == 44)
    }

    @Test
    func `an interrupt ends the program with the terminal as it was`() throws {
        let terminal = try add()
        try terminal.wait(for: "password data for new item: ")
        #expect(!terminal.echoes)
        terminal.type("half\u{3}")
        #expect(try terminal.exitStatus() == 128 + SIGINT)
        #expect(terminal.echoes)
        #expect(!terminal.seen.contains("half"))
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGQUIT])
    func `a signal ends the program with the terminal as it was`(_ signal: Int32) throws {
        let terminal = try add()
        try terminal.wait(for: "password data for new item: ")
        kill(terminal.process, signal)
        #expect(try terminal.exitStatus() & 0x7f == signal)
        #expect(terminal.echoes)
    }

    /// Swift's handler would print the registers and the memory that they point to, to whoever sees the terminal or the
    /// journal.
    @Test(arguments: [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP])
    func `a crash prints no memory, whatever the environment asks of Swift`(_ signal: Int32) throws {
        var environment = sandbox.environment
        environment["SWIFT_BACKTRACE"] = "enable=yes,color=no,interactive=no"
        let terminal = try PseudoTerminal(
            Sandbox.executables + "/security",
            ["add-generic-password", "-s", "mail", "-a", "alice", "-w"],
            environment: environment
        )
        try terminal.wait(for: "password data for new item: ")
        kill(terminal.process, signal)
        #expect(try terminal.exitStatus() & 0x7f == signal)
        #expect(terminal.seen == "password data for new item: ")
    }

    @Test
    func `the end of the input stores nothing`() throws {
        let terminal = try add()
        try terminal.wait(for: "password data for new item: ")
        terminal.type("\u{4}")
        #expect(try terminal.exitStatus() == 1)
        #expect(terminal.seen.contains("security: no password was typed"))
        #expect(terminal.echoes)
    }

    @Test(arguments: [4093, 5000])
    func `a line is stored whole or not at all`(length: Int) throws {
        let terminal = try add()
        for question in ["password data for new item: ", "retype password for new item: "] {
            guard (try? terminal.wait(for: question)) != nil else { break }
            terminal.type(String(repeating: "x", count: length) + "\n")
        }
        let isStored = length < 4094
        #expect(try terminal.exitStatus() == (isStored ? 0 : 1))
        #expect(terminal.seen.contains("too long to be typed") == !isStored)
        let found = try sandbox.run("security find-generic-password -s mail -w").output
        #expect(found.utf8.count == (isStored ? length + 1 : 0))
    }

    @Test
    func `a table fits the terminal`() throws {
        _ = try sandbox.run("security add-generic-password -s \(String(repeating: "long", count: 50)) -a alice -w x")
        let program = Sandbox.executables + "/security"
        let terminal = try PseudoTerminal(program, ["list"], environment: sandbox.environment)
        #expect(try terminal.exitStatus() == 0)
        #expect(terminal.seen.hasPrefix("\u{1B}[1mCLASS"))
        let lines = terminal.seen.replacing(#/\u{1B}\[\d+m/#, with: "").split(whereSeparator: \.isNewline)
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines.last?.contains("…") == true)
    }
}
