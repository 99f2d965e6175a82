import Foundation
import KeychainTestSupport
import Testing

/// What an attacker does to the files of programs, and what files say whom to believe.
@Suite(.enabled(if: AttackedMachine.obstacle == nil, "needs root, namespaces, setpriv, nsenter and a C compiler"))
struct ProgramFileAttackTests {
    private let machine: AttackedMachine

    init() throws {
        machine = try AttackedMachine.shared.get()
    }

    /// As the victim's user, who asks in the program's own name.
    private func ask(_ program: String) throws -> Command.Result {
        let environment = machine.site.environment.merging(["SOCKET": machine.socket]) { $1 }
        return try machine.run([program, "ask"], environment: environment)
    }

    @Test func `a program of more than a gibibyte is refused, and not read (as root)`() throws {
        let program = machine.home + "/large"
        try FileManager.default.copyItem(atPath: machine.site.attacker, toPath: program)
        #expect(try !ask(program).errors.contains("hello"))

        // With a hole at its end, which costs no room.
        #expect(truncate(program, 1 << 30 + 1) == 0)
        let start = Date.now
        let refused = try ask(program)
        #expect(refused.errors.contains("no hello"), "\(refused.everything)")
        #expect(Date.now.timeIntervalSince(start) < 5)
    }

    @Test func `a program that has a second name is not installed (as root)`() throws {
        let program = machine.folder + "/two-names"
        try FileManager.default.copyItem(atPath: AttackedService.beside("attacked-program"), toPath: program)
        try machine.sign(program, groups: ["names"])
        #expect(link(program, program + "-again") == 0)
        #expect(throws: (any Error).self) { try machine.mark(program) }
        #expect(unlink(program + "-again") == 0)
        try machine.mark(program)
    }

    @Test func `a program has the entitlements that the service has verified, and no others (as root)`() throws {
        func answer(_ program: String) throws -> String {
            try machine.run([program, "entitlement", "keychain-access-groups"]).text
        }
        let installed = try machine.install("attacked-program", groups: ["verified"])
        #expect(try answer(installed) == "entitled: [\"T1TEAM.verified\"]\n")
        #expect(try answer(machine.plain("attacked-program")) == "not entitled\n")

        // Signed by a team that nobody trusts.
        let foreign = machine.home + "/foreign"
        try FileManager.default.copyItem(atPath: AttackedService.beside("attacked-program"), toPath: foreign)
        try machine.signAsForeigner(foreign, groups: ["verified"])
        let foreignAnswer = try answer(foreign)
        #expect(!foreignAnswer.contains("entitled: ["), "\(foreignAnswer)")

        // Its own copy with other entitlements in its signature.
        let altered = machine.home + "/altered"
        var bytes = try Data(contentsOf: URL(filePath: installed))
        let name = try #require(bytes.range(of: Data("T1TEAM.verified".utf8), options: .backwards))
        bytes.replaceSubrange(name, with: Data("T1TEAM.elevated".utf8))
        try bytes.write(to: URL(filePath: altered))
        #expect(chmod(altered, 0o755) == 0)
        let alteredAnswer = try answer(altered)
        #expect(alteredAnswer == "error: -34018\nnot entitled\n", "\(alteredAnswer)")
    }

    @Test(.enabled(if: Command.find("openssl") != nil, "needs openssl"))
    func `an installed program believes no anchors that its environment names (as root, needs openssl)`() throws {
        let folder = machine.home + "/anchors"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func openssl(_ arguments: [String]) throws {
            let result = try Command(["openssl"] + arguments).run()
            guard result.status == 0 else { throw AttackFailure(result.errors) }
        }
        let authority = folder + "/authority.pem"
        let leaf = folder + "/leaf.pem"
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try openssl(
            [
                "req", "-x509", "-subj", "/CN=Evil", "-days", "30", "-keyout", folder + "/authority.key", "-out",
                authority,
            ]
                + curve
        )
        try openssl(
            ["req", "-new", "-subj", "/CN=bank.example", "-keyout", folder + "/leaf.key", "-out", folder + "/leaf.csr"]
                + curve
        )
        try Data("subjectAltName=DNS:bank.example\nextendedKeyUsage=serverAuth\n".utf8)
            .write(to: URL(filePath: folder + "/extensions"))
        try openssl([
            "x509", "-req", "-in", folder + "/leaf.csr", "-CA", authority, "-CAkey", folder + "/authority.key",
            "-CAcreateserial", "-days", "20", "-extfile", folder + "/extensions", "-out", leaf,
        ])
        let verify = ["verify-cert", "-c", leaf, "-p", "ssl", "-s", "bank.example"]
        let anchors = ["SSL_CERT_FILE": authority]
        let installed = try machine.run(
            [machine.install("security", groups: ["security"])] + verify,
            environment: anchors
        )
        #expect(installed.status != 0, "\(installed.everything)")
        let plain = try machine.run([machine.plain("security")] + verify, environment: anchors)
        #expect(plain.status == 0, "\(plain.everything)")
    }

    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/fuse"), "needs /dev/fuse"))
    func `a program on a file system that stops answering holds up nobody (as root, needs /dev/fuse)`() throws {
        let place = machine.folder + "/served"
        let server = machine.folder + "/file-server"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try AttackSite.compile(server, ["-static", "served.c"])
        let serving = try RunningProgram(
            machine.command([server, place, machine.site.attacker], as: nil),
            in: machine.folder,
            until: "served"
        )
        defer {
            for process in machine.processes(named: "file-server") { kill(process, SIGKILL) }
            _ = serving.waitForEnd()
        }
        let environment = machine.site.environment.merging(["SOCKET": machine.socket]) { $1 }
        let start = Date.now
        let attack = try RunningProgram(
            machine.command([place + "/program", "ask"], environment: environment),
            in: machine.folder,
            until: "hello"
        )
        #expect(attack.text.contains("no hello") || attack.text.contains("before hello"), "\(attack.text)")
        #expect(Date.now.timeIntervalSince(start) < 10)
        let victim = try machine.run([machine.site.victim, "get"], environment: environment)
        #expect(!victim.errors.contains("refused"), "\(victim.errors)")

        // Whoever does ask that file system waits for as long as it likes.
        let asking = try RunningProgram(
            machine.command(["sh", "-c", "echo begun; stat \(place)/program; echo over"], as: nil),
            in: machine.folder,
            until: "begun"
        )
        usleep(1_500_000)
        #expect(!asking.text.contains("over"), "it answers: \(asking.text)")
        for process in machine.processes(named: "file-server") { kill(process, SIGKILL) }
        #expect(eventually { asking.text.contains("over") })
    }
}
