import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The program whose file is marked with the group of installed programs (docs/decisions/0085).
@Suite(
    "The mark of the program of passkeys",
    .timeLimit(.minutes(5)),
    .enabled(if: SystemMode.isPossible, "\(SystemMode.reason)")
)
struct MarkTests {
    private static let markerGroup = 64_033
    private static let folder = SystemMachine.programs + "/libexec/chatelaine"
    private static let program = folder + "/chatelaine-passkeys"

    /// A machine with the system's service, on which root has installed the program.
    private func machine(isMarked: Bool) throws -> SystemMachine {
        let machine = try SystemMachine(installing: ["chatelaine", "chatelaine-passkeys"])
        let mark = isMarked ? "chgrp \(Self.markerGroup) \(Self.program) && chmod 2755 \(Self.program)" : "true"
        let script = """
            mkdir -p \(Self.folder) && mv \(SystemMachine.programs)/chatelaine-passkeys \(Self.program) && \(mark)
            """
        let installed = try machine.run(["sh", "-c", script], asRoot: true)
        try #require(installed.status == 0, "\(installed.errors)")
        return machine
    }

    @Test func `a program that root has marked has the group of passkeys, and none that it starts has the mark`() throws
    {
        let machine = try machine(isMarked: true)
        // It names the group, which the service gives to no other program.
        let list = try machine.run([Self.program, "list"])
        #expect(list.status == 0, "\(list.errors)\(machine.log)")
        // The user's own program in the place of systemctl.
        let script =
            "#!/bin/sh\ngrep ^Gid: /proc/self/status >'\(machine.home)/groups'\nenv >'\(machine.home)/environment'\n"
        try writeProgram(script, to: machine.home + "/systemctl")
        let manager = "mkdir -p \(machine.home)/systemd && touch \(machine.home)/systemd/private"
        try #require(machine.run(["sh", "-c", manager]).status == 0)
        let variables = [
            "PATH": machine.home + ":/usr/bin:/bin", "ICU_DATA": machine.home, "CFFIXED_USER_HOME": "/",
            "XDG_RUNTIME_DIR": machine.home,
        ]
        _ = try machine.run([Self.program, "status"], variables)
        #expect(!machine.read("groups").isEmpty)
        let environment = machine.read("environment")
        #expect(environment.contains("PATH=\(machine.home):"), "\(environment)")
        #expect(!environment.contains("ICU_DATA") && !environment.contains("CFFIXED"), "\(environment)")
        #expect(!machine.read("groups").contains("\(Self.markerGroup)"), "\(machine.read("groups"))")
    }

    @Test(arguments: ["setpriv --no-new-privs", "strace -o /dev/null", "bwrap --dev-bind / /"])
    func `a start that the kernel does not vouch for is refused`(_ start: String) throws {
        let machine = try machine(isMarked: true)
        let list = try machine.run(start.split(separator: " ").map(String.init) + [Self.program, "list"])
        #expect(list.status != 0, "\(list.output)")
    }

    @Test func `without the mark the program refuses to run, and says what it needs`() throws {
        let machine = try machine(isMarked: false)
        let list = try machine.run([Self.program, "list"])
        #expect(list.status == 1 && list.errors.contains("chatelaine-app"), "\(list.errors)")
    }

    @Test func `in a session the mark is given up, and the session's service knows the program`() throws {
        let keychain = try TestKeychain()
        let place = keychain.surroundings + "/libexec/chatelaine"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let program = place + "/chatelaine-passkeys"
        try FileManager.default.copyItem(atPath: ServiceProcess.program("chatelaine-passkeys"), toPath: program)
        try #require(chown(program, 0, gid_t(Self.markerGroup)) == 0 && chmod(program, 0o2755) == 0)
        let service = try ServiceProcess(in: keychain.surroundings)
        try #require(service.waitUntilReady(), "\(service.log)")
        let list = try FinishedProgram(
            [program, "list"],
            in: keychain.surroundings,
            environment: ["PATH": "/usr/bin:/bin", "CHATELAINE_KEYCHAIN": "unix:" + service.socket]
        )
        #expect(list.status == 0, "\(list.errors)\(service.log)")
    }
}
