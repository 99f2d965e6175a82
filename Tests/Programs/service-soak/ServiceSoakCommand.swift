import ArgumentParser
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Logging

/// Kills a keychain service under its clients, and looks whether anything is lost.
@main
struct ServiceSoakCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service-soak",
        abstract: "Kills a keychain service under its clients, and looks whether anything that they were told is lost."
    )

    @Option(help: "How many clients, a thread and a connection each.")
    var clients = 32

    @Option(help: "For how many seconds.")
    var seconds = 600

    @Option(help: "The longest time between two kills, in milliseconds; every kill comes after a random part of it.")
    var pause = 4000

    @Option(help: "How long each client waits after each answer, in milliseconds.")
    var idle = 0

    func run() throws {
        let keychain = try TestKeychain()
        chmod(keychain.surroundings, 0o755)
        let start = Date()
        let load = SoakLoad(
            address: ServiceAddress(path: keychain.surroundings + "/keychain.sock", kind: .session),
            clients: clients,
            idle: UInt32(idle) * 1000
        )
        var service = try Self.started(keychain)
        load.begin()
        var kills = 0
        var most = 0
        while Date().timeIntervalSince(start) < Double(seconds) {
            usleep(UInt32.random(in: 0...UInt32(pause) * 1000))
            most = max(most, service.residentMemory.most)
            service.kill()
            _ = service.waitForExit()
            kills += 1
            service = try Self.started(keychain)
            if kills % 20 == 0 { print("\(kills) kills, \(load.summary)") }
        }
        load.end()
        let faults = load.faults + load.compareAll()
        service.kill(SIGTERM)
        let status = service.waitForExit()
        let problems = try EmbeddedKeychain(
            .embedded(directory: service.directory),
            caller: Caller(name: "soak", groups: AccessGroups([]))
        ).verify().problems
        print(
            """
            clients:             \(clients)
            kills:               \(kills)
            \(load.summary)
            most memory:         \(most) KiB
            last exit status:    \(status)
            problems of files:   \(problems.count)
            duration:            \(Int(Date().timeIntervalSince(start))) s
            faults:              \(faults.count)
            """
        )
        for fault in faults { print("FAULT: \(fault)") }
        for problem in problems { print("PROBLEM: \(problem.place) \(problem.message)") }
        if !faults.isEmpty || !problems.isEmpty || status != 0 { throw ExitCode.failure }
    }

    private static func started(_ keychain: TestKeychain) throws -> ServiceProcess {
        try Data().write(to: URL(fileURLWithPath: keychain.surroundings + "/log"))
        let service = try ServiceProcess(in: keychain.surroundings)
        guard service.waitUntilReady() else {
            print("the service does not start: \(service.log)")
            throw ExitCode.failure
        }
        return service
    }
}
