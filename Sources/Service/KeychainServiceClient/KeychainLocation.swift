import CKeychainLinux
import Glibc
import KeychainAccounts
package import KeychainModel
import KeychainTrailer
import Synchronization

/// Where a process's keychain is.
package enum KeychainLocation: Hashable, Sendable {
    /// In a folder, opened by this process itself.
    case embedded(directory: String)
    /// In this process's memory alone.
    case memory
    /// With the keychain service.
    case service(ServiceAddress)

    /// The variable that says which keychain to use, instead of the person's own.
    package static let variable = "CHATELAINE_KEYCHAIN"

    /// The location that holds for this process now: see `choose`.
    ///
    /// - Throws: `notAvailable`, rather than falling back to another keychain than the one that is meant.
    package static func current() throws(KeychainError) -> KeychainLocation {
        if let chosen { return chosen }
        let isSecure = clinux_is_secure_execution()
        return try choose(
            isSigned: try isSigned(isSecure: isSecure),
            isSecure: isSecure,
            places: .ofThisMachine,
            environment: { Environment[$0] }
        )
    }

    private static let choice = Mutex<KeychainLocation?>(nil)

    /// What the program itself has chosen.
    package static var chosen: KeychainLocation? { choice.withLock { $0 } }

    /// Has this process use another keychain than the environment names, until another one is chosen, or none. For commands
    /// that are told which one.
    package static func use(_ location: KeychainLocation?) {
        choice.withLock { $0 = location }
    }

    /// The choice.
    ///
    /// - A signed program never asks the environment, and its keychain is always the service's: an attacker who hides
    ///   the socket from it makes it fail, and not write elsewhere.
    /// - Any other goes where `CHATELAINE_KEYCHAIN` says, else to the socket that is there, the system's first, else to
    ///   a folder of its own. A socket that is there and does not answer is an error.
    ///
    /// - Parameter environment: what the process may believe of its environment.
    /// - Throws: `notAvailable` for a variable that names no keychain.
    static func choose(
        isSigned: Bool,
        isSecure: Bool,
        places: WellKnownPlaces,
        environment: (String) -> String?
    ) throws(KeychainError) -> KeychainLocation {
        let system = ServiceAddress(path: places.systemSocket, kind: .system)
        if isSigned {
            // The folder stays where it is while the service does not run, so that nothing is written elsewhere
            // meanwhile.
            let isInstalled = isSecure || WellKnownPlaces.isThere(places.systemFolder)
            return .service(
                isInstalled ? system : ServiceAddress(path: places.sessionSocket(in: nil), kind: .session)
            )
        }
        if let value = environment(variable), !value.isEmpty { return try KeychainLocation(value) }
        if WellKnownPlaces.isThere(system.path) { return .service(system) }
        let session = places.sessionSocket(in: environment("XDG_RUNTIME_DIR"))
        if WellKnownPlaces.isThere(session) { return .service(ServiceAddress(path: session, kind: .session)) }
        return .embedded(directory: try personal(environment))
    }

    private static func isSigned(isSecure: Bool) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            return try ProgramTrailer.isPresentInOwnProgram()
        } catch {
            // Without /proc, or in a program that may be run and not read, this cannot be told. Where the program has
            // rights of its own it may not be guessed.
            guard isSecure else { return false }
            throw KeychainError(.notAvailable, "whether the program is signed cannot be told: \(error.message)")
        }
    }

    /// Reads `embedded:DIR`, `memory:` or `unix:PATH`.
    package init(_ text: String) throws(KeychainError) {
        if text == "memory:" {
            self = .memory
        } else if let directory = text.dropping(prefix: "embedded:"), !directory.isEmpty {
            self = .embedded(directory: try Self.absolute(directory))
        } else if let path = text.dropping(prefix: "unix:"), !path.isEmpty {
            self = .service(ServiceAddress(path: try Self.absolute(path), kind: .session))
        } else {
            throw KeychainError(.notAvailable, "\(Self.variable) has to be embedded:DIR, memory: or unix:PATH")
        }
    }

    private static func personal(_ environment: (String) -> String?) throws(KeychainError) -> String {
        guard let folder = PersonalPlaces.keychain(environment) else {
            throw KeychainError(.notAvailable, "there is no home folder to keep a keychain in; set \(variable)")
        }
        return folder
    }

    /// The folder of this user's own keychain, regardless of `CHATELAINE_KEYCHAIN`.
    package static func personalFolder() throws(KeychainError) -> String {
        try personal { Environment[$0] }
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
