import Foundation
import KeychainTestSupport
import Testing

/// Every attack is made by real processes of the victim's own user, three times over: against the service as it is, against
/// one without the checks that stop the attack, and against one for each of these checks, with the others left out. And all
/// of that once more against a service that sees an older kernel, which says less of processes.
@Suite(.enabled(if: AttackSite.obstacle == nil, "needs root, a root folder that is a mount, setpriv and a C compiler"))
struct IdentityAttackTests {
    @Test(arguments: SeenKernel.allCases)
    func `an installed program gets its secret (as root)`(on kernel: SeenKernel) throws {
        let site = try AttackSite.shared.get()
        let service = try AttackedService.running(without: [], on: kernel)
        for program in [site.victim, site.dynamicVictim] {
            let environment = site.environment.merging(["SOCKET": service.socket]) { $1 }
            let result = try Command([program, "get"], as: AttackSite.user, environment: environment).run()
            #expect(result.contains(site.secret), "\(result.errors)")
        }
    }

    @Test(arguments: Attack.onTheHandshake, SeenKernel.allCases)
    func `attacks on the handshake get nothing (as root)`(_ attack: Attack, on kernel: SeenKernel) throws {
        try judge(attack, on: kernel)
    }

    @Test(
        .enabled(if: Machine.allowsMounting, "needs unshare with user and mount namespaces"),
        arguments: Attack.fromNamespaces,
        SeenKernel.allCases
    )
    func `attacks from namespaces get nothing (as root, needs namespaces)`(
        _ attack: Attack,
        on kernel: SeenKernel
    ) throws {
        try judge(attack, on: kernel)
    }

    @Test(arguments: Attack.onTheStart, SeenKernel.allCases)
    func `attacks on the start of a program get nothing (as root)`(_ attack: Attack, on kernel: SeenKernel) throws {
        try judge(attack, on: kernel)
    }

    @Test(arguments: Attack.onTheClient, SeenKernel.allCases)
    func `attacks on a client's memory and descriptors get nothing (as root)`(
        _ attack: Attack,
        on kernel: SeenKernel
    ) throws {
        try judge(attack, on: kernel)
    }

    @Test(arguments: Attack.waysToRead)
    func `an installed client that has its secret cannot be read (as root)`(_ method: String) throws {
        let site = try AttackSite.shared.get()
        let environment = site.environment.merging([
            "SOCKET": try AttackedService.running(without: []).socket, "METHOD": method, "KIND": "hold",
        ]) { $1 }
        let command = [site.attacker, "read-client"]
        let result = try Command(command, as: AttackSite.user, environment: environment).run()
        #expect(!result.contains(site.secret))
        #expect(!result.errors.contains("got nothing"), "the client had nothing to be read")

        // It is there to be found by whoever may.
        guard method != "pidfd_getfd" else { return }
        let control = try Command(command, environment: environment.merging(["AS": "\(AttackSite.user)"]) { $1 }).run()
        #expect(control.contains(site.secret), "\(control.errors)")
    }

    private func judge(_ attack: Attack, on kernel: SeenKernel) throws {
        let site = try AttackSite.shared.get()
        let whole = try attack.run(on: AttackedService.running(without: [], on: kernel), site)
        #expect(!whole.contains(site.secret), "with all checks it got the secret")

        let needed = attack.stoppedBy + attack.besides
        let open = try AttackedService.running(without: needed, on: kernel)
        var control = try attack.run(on: open, site)
        // Some have to win a race, which a busy machine can lose for them.
        for _ in 0..<20 where !control.contains(site.secret) { control = try attack.run(on: open, site) }
        #expect(
            control.contains(site.secret),
            "without \(needed) it got \(control.text), \(control.errors) \(open.logText.suffix(600))"
        )

        for check in attack.stoppedBy where attack.stoppedBy.count > 1 {
            let one = try AttackedService.running(without: needed.filter { $0 != check }, on: kernel)
            let result = try attack.run(on: one, site)
            #expect(!result.contains(site.secret), "\(check) alone does not stop it")
        }
    }
}
