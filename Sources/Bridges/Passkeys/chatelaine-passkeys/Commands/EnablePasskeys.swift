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
        guard try PasskeyUnit.systemctl("enable", "--now") == 0 else {
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
        guard try PasskeyUnit.systemctl("disable", "--now") == 0 else {
            throw Failure(
                "\(PasskeyUnit.name) was not turned off: is the package installed?"
            )
        }
    }
}

/// The unit of the user's service manager that is the security key.
enum PasskeyUnit {
    static let name = "chatelaine-passkeys.service"

    /// Where this user's service manager is. A shell that `su` has started does not know it.
    private static var folder: String {
        let named = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) } ?? ""
        return named.isEmpty ? "/run/user/\(getuid())" : named
    }

    /// Whether this user has a service manager.
    static var isManaged: Bool { unsafe access(folder + "/systemd/private", F_OK) == 0 }

    /// - Returns: the exit status.
    static func systemctl(_ words: String...) throws -> Int32 {
        try UserProgram.run("systemctl", ["--user"] + words + [name], with: ["XDG_RUNTIME_DIR": folder])
    }

    static func requireManaged() throws(Failure) {
        guard isManaged else {
            throw Failure("no systemd serves this session; chatelaine-passkeys serve, started otherwise, does the same")
        }
    }
}
