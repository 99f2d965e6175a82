import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainServiceClient

/// A program that serves others with secrets in its memory.
package enum GuardedProcess {
    /// Has the kernel write no core file of it. Where the service of the machine answers, nobody but root looks into it
    /// either, not even its own user; the session's service has to look into its clients itself.
    ///
    /// - Throws: `notAvailable` where the kernel refuses, or no keychain can be told.
    package static func enter() throws(KeychainError) {
        ServingProgram.begin()
        var noCore = rlimit()
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore) == 0 else {
            throw KeychainError(
                .notAvailable,
                "core files cannot be turned off: \(unsafe String(cString: strerror(errno)))"
            )
        }
        guard case .service(let address) = try KeychainLocation.current(), address.kind == .system else { return }
        let failure =
            clinux_harden()
        guard failure == 0 else {
            throw KeychainError(
                .notAvailable,
                "the process cannot be guarded: \(unsafe String(cString: strerror(failure)))"
            )
        }
    }

    /// The same of one of our own programs whose file is marked with the group of installed ones
    /// (docs/decisions/0085). It comes before everything else: until then, what the process starts has the group, too.
    ///
    /// With the system's service the group stays as the saved one, by which the service knows the program. Anywhere else
    /// nothing is gained by it, and much is lost: the program starts itself again without the group.
    ///
    /// - Throws: `notAvailable` where the kernel refuses, and with the system's service for a program that is not marked, or
    ///   was started with somebody's library, tracer or filter: what it stored would be another program's.
    package static func enterMarked() throws(KeychainError) {
        let isMarked = clinux_is_secure_execution()
        if isMarked {
            // Nothing was read of the environment so far that the kernel has forbidden to believe.
            guard clinux_harden_installed_program() == 0 else { throw refused }
        }
        guard case .service(let address) = try KeychainLocation.current(), address.kind == .system else {
            guard isMarked else { return try enter() }
            throw startAgain()
        }
        guard isMarked else {
            throw KeychainError(
                .notAvailable,
                "this program was not started cleanly, or is not installed by the package: its file needs the group chatelaine-app "
                    + "and the mode 2755, and it has to run without a tracer, a sandbox and no_new_privs"
            )
        }
        keepEnvironmentOfSession()
        ServingProgram.begin()
    }

    /// Where the session is, and how it speaks.
    private static let variablesOfSession = [
        "HOME", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TERM", "GPG_TTY", "DISPLAY", "WAYLAND_DISPLAY",
        "XAUTHORITY",
        "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "DBUS_SESSION_BUS_ADDRESS",
    ]

    /// Libraries read files, and change what they do, as variables say that the user's malware may have set: `ICU_DATA`,
    /// `CFFIXED_USER_HOME`. The kernel and the C library take away only their own.
    private static func keepEnvironmentOfSession() {
        let kept = variablesOfSession.compactMap { name in
            unsafe getenv(name).map { (name, unsafe String(cString: $0)) }
        }
        clearenv()
        for (name, value) in kept { _ = unsafe setenv(name, value, 1) }
    }

    private static var refused: KeychainError {
        KeychainError(.notAvailable, "the process cannot be guarded: \(unsafe String(cString: strerror(errno)))")
    }

    /// Without new privileges the kernel takes no notice of the mark.
    ///
    /// - Returns: why it could not be done.
    private static func startAgain() -> KeychainError {
        guard clinux_give_up_mark() == 0 else { return refused }
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
        _ = unsafe execv("/proc/self/exe", &arguments)
        return refused
    }
}
