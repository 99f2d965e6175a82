import Glibc
import KeychainAccounts

/// Where keychain services are on a machine.
package struct WellKnownPlaces: Sendable {
    /// The folder of the system's service, which root owns.
    package let systemFolder: String
    /// The folder with a folder for each user who is logged in, by the user's number.
    let runtimeFolder: String
    let uid: UInt32

    package static let ofThisMachine = WellKnownPlaces(
        systemFolder: "/run/chatelaine",
        runtimeFolder: "/run/user",
        uid: getuid()
    )

    package var systemSocket: String { systemFolder + "/keychain.sock" }

    /// The user's own service.
    ///
    /// - Parameter folder: what `XDG_RUNTIME_DIR` says, where it may be believed.
    package func sessionSocket(in folder: String?) -> String {
        PersonalPlaces.socket(in: folder, otherwise: "\(runtimeFolder)/\(uid)")
    }

    /// Whether there is something, or may be: what cannot be looked at counts.
    package static func isThere(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }
}
