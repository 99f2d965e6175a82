import CKeychainLinux
import Glibc
import KeychainAccounts
import KeychainModel
import KeychainSystem
import PeerIdentity

/// The connection to chatelaine-identify, the process that may look at those who connect.
enum IdentifyHelper {
    /// Starts it, beside this program, on a pair of sockets. To be called while this process is still root.
    ///
    /// - Parameters:
    ///   - markerGroup: that of installed programs.
    ///   - enclave: where the enclave will take connections of owners.
    static func start(
        user: String,
        markerGroup: UInt32,
        enclave: String
    ) throws(KeychainError) -> Descriptor {
        let (ours, theirs) = try KeychainError.translating { try Descriptor.pair(SOCK_SEQPACKET) }
        let account = try SystemAccount.user(user)
        try StartedProgram.start(
            "chatelaine-identify",
            [
                "--user", String(account.uid), "--marker-group", String(markerGroup), "--enclave", enclave,
                "--descriptor", "3",
            ],
            descriptors: [theirs.number]
        )
        return ours
    }

    /// Connects to one that runs already.
    static func connect(_ path: String) throws(KeychainError) -> Descriptor {
        let socket = clinux_packet_socket()
        guard socket >= 0 else { throw KeychainError(errno: errno, "no socket for chatelaine-identify") }
        let descriptor = Descriptor(owning: socket)
        guard unsafe clinux_connect_path(socket, path) == 0 else {
            throw KeychainError(errno: errno, "chatelaine-identify cannot be reached at \(path)")
        }
        return descriptor
    }
}
