import CLinux
import Glibc
package import KeychainModel

/// Where a process's keychain is.
package enum KeychainLocation: Hashable, Sendable {
    /// In a folder, opened by this process itself.
    case embedded(directory: String)
    /// In this process's memory alone.
    case memory

    /// The variable that says which keychain to use, instead of the person's own.
    package static let variable = "CHATELAINE_KEYCHAIN"

    /// The location that the environment names. It is not asked where the program runs with other rights than its
    /// caller's.
    ///
    /// - Throws: `notAvailable` for a value that names no keychain, rather than falling back to the person's own.
    package static func current() throws(KeychainError) -> KeychainLocation {
        guard let value = Environment[variable], !value.isEmpty else {
            return .embedded(directory: try personal())
        }
        return try KeychainLocation(value)
    }

    /// Reads `embedded:DIR` or `memory:`.
    package init(_ text: String) throws(KeychainError) {
        if text == "memory:" {
            self = .memory
        } else if let directory = text.dropping(prefix: "embedded:"), !directory.isEmpty {
            self = .embedded(directory: try Self.absolute(directory))
        } else if text.hasPrefix("unix:") {
            throw KeychainError(
                .notAvailable,
                "\(Self.variable) names a socket, and this build knows no keychain service"
            )
        } else {
            throw KeychainError(.notAvailable, "\(Self.variable) has to be embedded:DIR or memory:")
        }
    }

    /// `$XDG_DATA_HOME/chatelaine/keychain` (XDG Base Directory Specification), which must be an absolute path.
    private static func personal() throws(KeychainError) -> String {
        if let data = Environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return data + "/chatelaine/keychain"
        }
        guard let home = Environment["HOME"] ?? homeFromUserDatabase(), home.hasPrefix("/") else {
            throw KeychainError(.notAvailable, "there is no home folder to keep a keychain in; set \(variable)")
        }
        return home + "/.local/share/chatelaine/keychain"
    }

    private static func homeFromUserDatabase() -> String? {
        guard let entry = unsafe getpwuid(geteuid()), let home = unsafe entry.pointee.pw_dir else { return nil }
        return unsafe String(cString: home)
    }

    private static func absolute(_ path: String) throws(KeychainError) -> String {
        if path.hasPrefix("/") { return path }
        guard let folder = unsafe getcwd(nil, 0) else {
            throw KeychainError(errno: errno, "the current folder cannot be told")
        }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder) + "/" + path
    }
}

/// The environment, as far as this process may believe it.
package enum Environment {
    package static subscript(name: String) -> String? {
        unsafe clinux_environment(name).map { unsafe String(cString: $0) }
    }
}

extension String {
    fileprivate func dropping(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
