import ArgumentParser
import Foundation
import KeychainSystem
import MessageBus
import SecretServiceModel
import Terminal

struct EnableSecrets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Have this session's programs keep their secrets here, from the next log-in on.",
        discussion: """
            Writes files of the user's own: one by which the session's bus starts this service, and those that keep
            gnome-keyring from being started for secrets. To move in from it first: chatelaine secrets import.
            """
    )

    func run() throws {
        guard let program = OwnProgram.path else { throw Failure("where this program is cannot be told") }
        try SessionFiles().write(program: program)
        print("From the next log-in on, this service has \(SecretInterface.name).")
        guard let bus = try? MessageBus(.session) else { return }
        bus.readSessionFiles()
        if let owner = NameOwner(of: SecretInterface.name, on: bus), !owner.isService {
            print("Until then it is served by \(TerminalText.escaped(owner.described)).")
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
        print(
            removed.isEmpty
                ? "It was not enabled."
                : removed.map { "Removed \(TerminalText.escaped($0))." }.joined(separator: "\n")
        )
        guard !removed.isEmpty, let bus = try? MessageBus(.session) else { return }
        bus.readSessionFiles()
        if let owner = NameOwner(of: SecretInterface.name, on: bus), owner.isService {
            print("This service keeps the name until the log-out.")
        }
    }
}

extension MessageBus {
    /// Has the bus, and the user's service manager where there is one, read files that were changed. A manager may outlive a
    /// session.
    fileprivate func readSessionFiles() {
        _ = try? call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ReloadConfig")
        let manager = "org.freedesktop.systemd1"
        guard (try? owner(of: manager)) != nil else { return }
        _ = try? call(manager, "/org/freedesktop/systemd1", manager + ".Manager", "Reload")
    }
}
