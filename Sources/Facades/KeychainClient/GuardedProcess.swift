import CKeychainLinux
import Glibc
package import KeychainModel

/// A program that serves others with secrets in its memory.
package enum GuardedProcess {
    /// Has the kernel write no core file of it. Where the service of the machine answers, nobody but root looks into it
    /// either, not even its own user; the session's service has to look into its clients itself.
    ///
    /// A program that is marked with the group of installed ones gives that group up, and keeps it as the saved one, by which
    /// the service knows it.
    ///
    /// - Throws: `notAvailable` where the kernel refuses, or no keychain can be told.
    package static func enter() throws(KeychainError) {
        var noCore = rlimit()
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore) == 0 else {
            throw KeychainError(
                .notAvailable,
                "core files cannot be turned off: \(unsafe String(cString: strerror(errno)))"
            )
        }
        guard case .service(let address) = try KeychainLocation.current(), address.kind == .system else { return }
        let failure =
            clinux_is_secure_execution() ? (clinux_harden_installed_program() == 0 ? 0 : errno) : clinux_harden()
        guard failure == 0 else {
            throw KeychainError(
                .notAvailable,
                "the process cannot be guarded: \(unsafe String(cString: strerror(failure)))"
            )
        }
    }
}
