import Foundation
import KeychainTestSupport
import Testing

/// What a user's processes try without taking another program's place, and what stands behind the service.
@Suite(.enabled(if: AttackSite.obstacle == nil, "needs root, a root folder that is a mount, setpriv and a C compiler"))
struct ServiceAttackTests {
    private let site: AttackSite
    private let service: AttackedService

    init() throws {
        site = try AttackSite.shared.get()
        service = try AttackedService.running(without: [])
    }

    private func run(_ words: [String], _ environment: [String: String] = [:]) throws -> Command.Result {
        try Command(
            words,
            as: AttackSite.user,
            environment: site.environment.merging(["SOCKET": service.socket]) { $1 }.merging(environment) { $1 }
        ).run()
    }

    @Test(arguments: ["changed", "cut-off", "doubled", "impostor"])
    func `a program whose signature is worth nothing is refused (as root)`(_ name: String) throws {
        let result = try run([site.folder + "/" + name, "get"])
        #expect(!result.contains(site.secret))
        #expect(result.errors.contains("refused") || result.errors.contains("no hello"), "\(result.errors)")
    }

    @Test func `a program that puts a signed file in its own place stays who it is (as root)`() throws {
        let result = try run(
            [site.folder + "/attackers/attacker", "replace-file"],
            ["VICTIM": site.folder + "/attackers/moved-copy"]
        )
        #expect(!result.contains(site.secret))
    }

    @Test func `a program that is started through the dynamic linker is the linker (as root)`() throws {
        let result = try run(["/lib64/ld-linux-x86-64.so.2", site.dynamicVictim, "get"])
        #expect(!result.contains(site.secret))
        #expect(!result.errors.contains("T0TEAM"), "\(result.errors)")
    }

    @Test(arguments: ["LD_PRELOAD", "LD_AUDIT"])
    func `an installed program loads no library that its environment names (as root)`(_ variable: String) throws {
        #expect(try !run([site.dynamicVictim, "idle"], [variable: site.loot]).contains(site.secret))
        // The library is there and would do it: see the attacks on a copy of the program.
    }

    @Test func `who asks for everything gets what is his own (as root)`() throws {
        let everything = ["REQUEST": site.folder + "/everything.frame"]
        let dumped = try run([site.attacker, "ask"], everything)
        #expect(!dumped.contains("attacked") && !dumped.contains(site.secret))
        #expect(try run([site.victim, "get"], everything).contains("attacked"))
    }

    @Test func `no file of the service can be read by others, and none holds the secret (as root)`() throws {
        #expect(try run(["find", service.folder + "/data", "-type", "f"]).output.isEmpty)

        let files = try FileManager.default.subpathsOfDirectory(atPath: service.folder + "/data")
        let contents = files.compactMap { FileManager.default.contents(atPath: service.folder + "/data/" + $0) }
        #expect(contents.contains { $0.contains(bytes: "T0TEAM.victim".utf8) })
        #expect(!contents.contains { $0.contains(bytes: site.secret.utf8) })
    }

    @Test(arguments: [AttackSite.user, AttackSite.service])
    func `the service's memory cannot be read by its users or by its own user (as root)`(_ uid: UInt32) throws {
        let environment = site.environment.merging(["PROCESS": "\(service.process)"]) { $1 }
        let command = [site.attacker, "read-process"]
        #expect(try Command(command, as: uid, environment: environment).run().output.isEmpty)
        #expect(try !Command(command, environment: environment).run().output.isEmpty)
    }

    @Test func `the service writes nothing of its memory when it crashes (as root)`() throws {
        let crashing = try AttackedService(site, without: [], options: ["--delay", "0"])
        kill(crashing.process, SIGSEGV)
        #expect(crashing.hasEnded(), "it is still there")
        #expect(!crashing.logText.contains("Crash") && !crashing.logText.contains("Registers"), "\(crashing.logText)")
        let left = try FileManager.default.subpathsOfDirectory(atPath: crashing.folder)
        #expect(!left.contains { $0.contains("core") })
    }

    @Test func `a service without descriptors left takes nobody for the victim, and serves it afterwards (as root)`()
        throws
    {
        let short = try AttackedService(site, without: [], options: ["--descriptors", "64"])
        let environment = site.environment.merging(["SOCKET": short.socket]) { $1 }
        let occupier = try RunningProgram(
            Command([site.attacker, "occupy"], as: AttackSite.user, environment: environment),
            in: site.folder,
            until: "occupied"
        )
        for attack in Attack.onTheHandshake {
            #expect(try !attack.run(on: short, site).contains(site.secret), "\(attack)")
        }
        occupier.stop()
        let isServed = try eventually {
            try Command([site.victim, "get"], as: AttackSite.user, environment: environment).run().contains(site.secret)
        }
        #expect(isServed, "\(short.logText.suffix(400))")
    }
}
