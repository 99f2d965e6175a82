import ArgumentParser
import Foundation
import SecretServiceModel
import SessionBus

struct EnableSecrets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Have this session's programs keep their secrets here, from the next log-in on.",
        discussion: """
            Writes two files of the user's own: one by which the session's bus starts this service, and one that keeps
            gnome-keyring from being started for secrets. To move in from it first: chatelaine secrets import.
            """
    )

    func run() throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        try SessionFiles().write(program: program)
        print("From the next log-in on, this service has \(SecretInterface.name).")
        if let bus = try? SessionBus(), let owner = bus.owner(of: SecretInterface.name) {
            let callers = BusCallers()
            callers.resolve(owner) { bus.process(of: $0) }
            print("Until then it is served by \(callers.name(of: owner)).")
        }
    }
}

struct DisableSecrets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Take back what enable did. The items stay in the keychain."
    )

    func run() throws {
        let removed = try SessionFiles().remove()
        print(removed.isEmpty ? "It was not enabled." : removed.map { "Removed \($0)." }.joined(separator: "\n"))
    }
}
