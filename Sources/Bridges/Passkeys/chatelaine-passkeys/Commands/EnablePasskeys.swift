import ArgumentParser
import Terminal

struct EnablePasskeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Be a security key in this user's sessions, from now on.",
        discussion: "chatelaine passkeys status says whether programs see it, and if not, why."
    )

    func run() throws {
        guard try UserProgram.run("systemctl", ["--user", "enable", "--now", PasskeyUnit.name]) == 0 else {
            throw Failure("systemd could not turn on \(PasskeyUnit.name); nothing was changed")
        }
    }
}

struct DisablePasskeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Take back what enable did. The passkeys stay in the keychain."
    )

    func run() throws {
        guard try UserProgram.run("systemctl", ["--user", "disable", "--now", PasskeyUnit.name]) == 0 else {
            throw Failure("systemd could not turn off \(PasskeyUnit.name)")
        }
    }
}

/// The unit of the user's service manager that is the security key.
enum PasskeyUnit {
    static let name = "chatelaine-passkeys.service"
}
