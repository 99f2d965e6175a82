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
            throw Failure(
                "\(PasskeyUnit.name) was not turned on: the package is not installed, or no systemd serves this session"
            )
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
            throw Failure(
                "\(PasskeyUnit.name) was not turned off: the package is not installed, or no systemd serves this session"
            )
        }
    }
}

/// The unit of the user's service manager that is the security key.
enum PasskeyUnit {
    static let name = "chatelaine-passkeys.service"
}
