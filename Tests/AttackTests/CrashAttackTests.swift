import Foundation
import KeychainTestSupport
import Testing

/// Swift's runtime can start a program when another crashes, and print registers with the memory they point to: which one, and
/// whether, the environment says. Any process may end another of its user by the signal of a crash.
@Suite(
    .serialized,
    .enabled(if: AttackedMachine.obstacle == nil, "needs root, namespaces, setpriv, nsenter and a C compiler")
)
struct CrashAttackTests {
    private let machine: AttackedMachine
    /// What is started in the place of Swift's own helper, and where it leaves its traces.
    private let helper: String
    private let traces: String

    private static let signals = ["SEGV", "ABRT", "BUS", "ILL", "FPE", "TRAP", "QUIT"]

    init() throws {
        machine = try AttackedMachine.shared.get()
        helper = machine.folder + "/helper"
        traces = machine.folder + "/traces-" + UUID().uuidString.prefix(8)
        let script = "#!/bin/sh\nfor folder in \(machine.folder)/traces-*; do echo HELPER >>\"$folder/out\"; done\n"
        try writeProgram(script, to: helper)
        // Whoever it runs as.
        try FileManager.default.createDirectory(atPath: traces, withIntermediateDirectories: false)
        chmod(traces, 0o1777)
        _ = FileManager.default.createFile(atPath: traces + "/out", contents: nil)
        chmod(traces + "/out", 0o666)
    }

    private var environment: [String: String] {
        ["SWIFT_BACKTRACE": "enable=yes,sanitize=no,threads=all,registers=all,interactive=no,swift-backtrace=\(helper)"]
    }

    private var wasHelped: Bool {
        (try? String(contentsOfFile: traces + "/out", encoding: .utf8))?.contains("HELPER") == true
    }

    private func isSilent(_ text: String) -> Bool {
        !["Crash", "Backtrac", "Registers", "Thread 0", "rax"].contains { text.contains($0) }
    }

    /// Starts a program, has its own user send it the signal, and returns what it printed.
    private func crash(
        _ words: [String],
        by signal: String,
        telling input: String = "",
        when ready: String,
        isEnd: Bool = true
    ) throws -> String {
        let words = ["sh", "-c", "ulimit -c unlimited 2>/dev/null; exec \"$@\"", "sh"] + words
        let program = try RunningProgram(
            machine.command(words, environment: environment),
            in: machine.home,
            telling: input,
            until: ready
        )
        let name = words[4].split(separator: "/").last.map(String.init) ?? ""
        guard let pid = machine.processes(named: name).first else { throw AttackFailure("\(name) does not run") }
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let inner = status.split(separator: "\n").first { $0.hasPrefix("NSpid:") }?.split(separator: "\t").last ?? ""
        #expect(try machine.run(["sh", "-c", "kill -\(signal) \(inner)"]).status == 0)
        if isEnd {
            #expect(program.waitForEnd(), "it is still there after \(signal)")
        } else {
            // It waits for a helper that talks to it.
            #expect(eventually { wasHelped })
            kill(pid, SIGKILL)
        }
        return program.text
    }

    private var cores: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: machine.home)) ?? []).filter { $0.hasPrefix("core") }
    }

    @Test func `an installed Swift program that crashes starts no helper and shows nothing (as root)`() throws {
        let installed = try machine.install("attacked-program", groups: ["crashing"])
        for signal in Self.signals {
            let text = try crash([installed, "wait"], by: signal, when: "waiting")
            #expect(isSilent(text), "\(signal): \(text)")
        }
        #expect(!wasHelped)
        #expect(cores.isEmpty)
    }

    @Test func `a plain Swift program that crashes does start it (as root)`() throws {
        let copy = machine.folder + "/crashing-copy"
        try FileManager.default.copyItem(atPath: AttackedService.beside("attacked-program"), toPath: copy)
        let text = try crash([copy, "wait"], by: "SEGV", when: "waiting", isEnd: false)
        #expect(wasHelped && !isSilent(text), "\(text)")
    }

    @Test(arguments: [false, true])
    func `our commands that crash start no helper and show nothing (as root)`(_ isInstalled: Bool) throws {
        func program(_ name: String) throws -> String {
            if isInstalled { return try machine.install(name, groups: ["crashing-commands"]) }
            let path = machine.folder + "/crashing-" + name
            try FileManager.default.copyItem(atPath: AttackedService.beside(name), toPath: path)
            return path
        }
        let security = try program("security")
        let chatelaine = try program("chatelaine")
        for signal in Self.signals {
            let first = try crash([security, "-i"], by: signal, telling: "help\n", when: "add-generic-password")
            #expect(isSilent(first), "security, \(signal): \(first)")
            let second = try crash([chatelaine, "watch"], by: signal, when: "passcode")
            #expect(isSilent(second), "chatelaine, \(signal): \(second)")
        }
        #expect(!wasHelped)
    }

    @Test(arguments: ["chatelained", "chatelaine-identify", "chatelaine-enclave"])
    func `the service's processes that crash start no helper, show nothing and leave no core (as root)`(
        _ name: String
    ) throws {
        let crashing = try AttackedMachine(machine.site, environment: environment)
        let process = try #require(crashing.processes(named: name).first)
        // A process that has only just started has nothing yet that a core could show, and may leave one.
        let isClosed = eventually {
            let limits = (try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)) ?? ""
            let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
            return core.split(whereSeparator: \.isWhitespace).dropFirst(4).prefix(2) == ["0", "0"]
        }
        #expect(isClosed, "it would leave a core")
        kill(process, SIGSEGV)
        #expect(eventually { crashing.processes(named: name).isEmpty })
        #expect(isSilent(crashing.logText), "\(crashing.logText)")
        #expect(!wasHelped)
        let left = try FileManager.default.subpathsOfDirectory(atPath: crashing.folder)
        #expect(!left.contains { $0.split(separator: "/").last?.hasPrefix("core") == true }, "\(left)")
    }

    @Test func `a prompter that crashes starts no helper and shows nothing (as root)`() throws {
        let words = [
            AttackedService.beside("chatelaine-prompt"), "--user", "\(AttackSite.service)", "--server",
            "\(AttackSite.enclave)", "--socket", machine.folder + "/nowhere/enclave.sock",
        ]
        let program = try RunningProgram(
            machine.command(words, as: nil, environment: environment),
            in: machine.folder,
            until: "waiting for it"
        )
        let process = try #require(machine.processes(named: "chatelaine-prompt").first)
        kill(process, SIGSEGV)
        #expect(program.waitForEnd())
        #expect(isSilent(program.text), "\(program.text)")
        #expect(!wasHelped)
    }

    @Test func `the service would start the helper, had it not taken the signals back (as root)`() throws {
        let crashing = try AttackedMachine(
            machine.site,
            daemon: "unchecked-daemon",
            options: ["--keep-crash-handlers"],
            environment: environment
        )
        let process = try #require(crashing.processes(named: "unchecked-daemon").first)
        kill(process, SIGSEGV)
        #expect(eventually { wasHelped || !isSilent(crashing.logText) }, "\(crashing.logText)")
    }
}
