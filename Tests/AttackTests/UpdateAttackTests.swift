import CodeSignature
import Foundation
import KeychainTestSupport
import Testing

/// An old version of an installed program that somebody keeps open while it is updated.
@Suite(.enabled(if: AttackSite.obstacle == nil, "needs root, a root folder that is a mount, setpriv and a C compiler"))
struct UpdateAttackTests {
    private let site: AttackSite
    private let service: AttackedService
    private let program: String
    private let new: String

    init() throws {
        site = try AttackSite.shared.get()
        service = try AttackedService.running(without: [])
        program = site.folder + "/updated-\(UUID().uuidString)"
        new = program + ".next"
        // The victim's own program, and another build of it: both are signed, and have the victim's group.
        try FileManager.default.copyItem(atPath: site.victim, toPath: program)
        try FileManager.default.copyItem(atPath: site.victim, toPath: new)
        for path in [program, new] {
            guard chown(path, 0, 0) == 0, chmod(path, 0o755) == 0 else { throw AttackFailure(path) }
        }
        _ = try ProgramInstaller.install(program, markerGroup: AttackSite.markerGroup, verifier: verifier)
    }

    private var verifier: SignatureVerifier {
        SignatureVerifier(teams: TrustedTeams(directory: site.folder + "/teams"))
    }

    private var environment: [String: String] { site.environment.merging(["SOCKET": service.socket]) { $1 } }

    /// Opens the program as its user, has it updated, and executes what was opened.
    private func execute(_ program: String, after update: () throws -> Void) throws -> Command.Result {
        let script = """
            import os, sys, time
            opened = os.open(sys.argv[1], os.O_RDONLY)
            os.set_inheritable(opened, True)
            open(sys.argv[2] + '.opened', 'w').close()
            for _ in range(12000):
                if os.path.exists(sys.argv[2] + '.updated'): break
                time.sleep(0.01)
            else: sys.exit('waited two minutes in vain until the program was updated')
            os.execve('/proc/self/fd/%d' % opened, [sys.argv[1], 'get'], dict(os.environ))
            """
        let sign = site.folder + "/attackers/" + UUID().uuidString
        let environment = environment
        let outcome = Outcome()
        let thread = Thread {
            let words = ["/usr/bin/python3", "-c", script, program, sign]
            outcome.finish(Result { try Command(words, as: AttackSite.user, environment: environment).run() })
        }
        thread.start()
        try waitUntil("the program is open") {
            FileManager.default.fileExists(atPath: sign + ".opened") || outcome.isFinished
        }
        try update()
        _ = FileManager.default.createFile(atPath: sign + ".updated", contents: nil)
        try waitUntil("the attack is over", patience: 180) { outcome.isFinished }
        return try outcome.result()
    }

    private func get() throws -> Command.Result {
        try Command([program, "get"], as: AttackSite.user, environment: environment).run()
    }

    @Test func `an old version that is kept open is the installed program no more after an update (as root)`() throws {
        let attack = try execute(program) {
            let words = [
                AttackedService.beside("chatelaine"), "install-app", "--from", new, "--teams", site.folder + "/teams",
                "--marker-group", "\(AttackSite.markerGroup)", program,
            ]
            let update = try Command(words).run()
            #expect(update.status == 0, "\(update.errors)")
        }
        #expect(!attack.contains(site.secret), "it got the secret")
        #expect(try get().contains(site.secret), "the new version does not")
    }

    @Test func `the same after a plain replacement gets the secret: that is what the update is against (as root)`()
        throws
    {
        let attack = try execute(program) {
            guard rename(new, program) == 0 else { throw AttackFailure("rename") }
            _ = try ProgramInstaller.install(program, markerGroup: AttackSite.markerGroup, verifier: verifier)
        }
        #expect(attack.contains(site.secret), "\(attack.errors)")
    }

    @Test func `a package that takes the marker away before leaves nothing behind either (as root)`() throws {
        let attack = try execute(program) {
            try ProgramInstaller.uninstall(program)
            guard rename(new, program) == 0 else { throw AttackFailure("rename") }
            _ = try ProgramInstaller.install(program, markerGroup: AttackSite.markerGroup, verifier: verifier)
        }
        #expect(!attack.contains(site.secret), "it got the secret")
        #expect(try get().contains(site.secret), "the new version does not")
    }

    @Test func `an update that is refused leaves the program as it was (as root)`() throws {
        for spoiled in ["changed", "cut-off", "impostor"] {
            #expect(throws: (any Error).self) {
                _ = try ProgramInstaller.install(
                    program,
                    from: site.folder + "/" + spoiled,
                    markerGroup: AttackSite.markerGroup,
                    verifier: verifier
                )
            }
            #expect(try get().contains(site.secret))
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: site.folder).filter { $0.contains(".new-") }
        #expect(left.isEmpty)
    }
}

/// What a thread has come to.
private final class Outcome: @unchecked Sendable {
    // Unchecked: behind a lock.
    private let lock = NSLock()
    private var outcome: Result<Command.Result, any Error>?

    func finish(_ result: Result<Command.Result, any Error>) { lock.withLock { outcome = result } }
    var isFinished: Bool { lock.withLock { outcome != nil } }

    func result() throws -> Command.Result {
        guard let outcome = lock.withLock({ outcome }) else { throw AttackFailure("not finished") }
        return try outcome.get()
    }
}
