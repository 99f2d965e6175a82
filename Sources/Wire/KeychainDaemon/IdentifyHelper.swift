import CLinux
import Glibc
import KeychainModel
import PeerIdentity

/// The connection to chatelaine-identify, the process that may look at those who connect.
enum IdentifyHelper {
    /// Starts it, beside this program, on a pair of sockets. To be called while this process is still root.
    static func start(user: String) throws(KeychainError) -> Descriptor {
        guard let own = ownPath(), let end = own.lastIndex(of: "/") else {
            throw KeychainError(.notAvailable, "where this program is cannot be told")
        }
        let path = own[...end] + "chatelaine-identify"
        var pair: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0
        else { throw KeychainError(errno: errno, "no sockets for chatelaine-identify") }
        let ours = Descriptor(owning: pair[0])
        let theirs = Descriptor(owning: pair[1])
        let account = try SystemAccount.user(user)
        let arguments = [String(path), "--user", String(account.uid), "--descriptor", "3"]
        var strings = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe strings.forEach { unsafe free($0) } }
        // Nothing of this process's environment is its business.
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer { unsafe environment.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let result = unsafe clinux_start_program(String(path), &strings, &environment, theirs.number, &pid)
        guard result == 0 else { throw KeychainError(errno: result, "\(path) cannot be started") }
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

    private static func ownPath() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return -1 }
            return unsafe readlink("/proc/self/exe", base, bytes.count)
        }
        return count > 0 ? String(validating: buffer.prefix(count), as: UTF8.self) : nil
    }
}
