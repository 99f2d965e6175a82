import CKeychainLinux
import KeychainModel
import KeychainTrailer

/// What an installed program does for itself before it speaks to the machine's service: from then on no other process of
/// its user can look into it.
enum InstalledProgram {
    /// Does it, once, if this is one. A program that the service has to look into itself, as in session mode, stays as it
    /// is; so does one without a signature, whose rights are another's business.
    ///
    /// - Throws: `notAvailable` where it cannot be done: the service would refuse the program.
    static func harden(for address: ServiceAddress) throws(KeychainError) {
        guard address.kind == .system else { return }
        guard isHardened else {
            throw KeychainError(.notAvailable, "the program cannot be guarded from others of its user")
        }
    }

    private static let isHardened: Bool = {
        guard clinux_is_secure_execution(), (try? ProgramTrailer.isPresentInOwnProgram()) ?? true else { return true }
        return clinux_harden_installed_program() == 0
    }()
}
