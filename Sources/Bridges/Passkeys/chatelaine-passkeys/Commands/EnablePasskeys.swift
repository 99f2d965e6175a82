import ArgumentParser
import Glibc
import Terminal

struct EnablePasskeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Be a security key in this user's sessions, from now on.",
        discussion: "chatelaine passkeys status says whether programs see it, and if not, why."
    )

    func run() throws {
        try PasskeyUnit.requireManaged()
        guard try UserProgram.run("systemctl", ["--user", "enable", "--now", PasskeyUnit.name]) == 0 else {
            throw Failure(
                "\(PasskeyUnit.name) was not turned on: is the package installed?"
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
        try PasskeyUnit.requireManaged()
        guard try UserProgram.run("systemctl", ["--user", "disable", "--now", PasskeyUnit.name]) == 0 else {
            throw Failure(
                "\(PasskeyUnit.name) was not turned off: is the package installed?"
            )
        }
    }
}

/// The unit of the user's service manager that is the security key.
enum PasskeyUnit {
    static let name = "chatelaine-passkeys.service"

    /// Whether this user has a service manager. systemctl looks in the same place.
    static var isManaged: Bool {
        let folder = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) } ?? "/run/user/\(getuid())"
        return unsafe access(folder + "/systemd/private", F_OK) == 0
    }

    static func requireManaged() throws(Failure) {
        guard isManaged else {
            throw Failure("no systemd serves this session; chatelaine-passkeys serve, started otherwise, does the same")
        }
    }
}
