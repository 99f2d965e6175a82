import CKeychainLinux
import Glibc
import KeychainModel

/// A program of ours that the service starts while it is root, because it is to have other rights.
enum StartedProgram {
    /// Starts a program that lies beside this one.
    ///
    /// - Parameter descriptors: its own from 3 on.
    static func start(
        _ name: String,
        _ arguments: [String],
        descriptors: [Int32]
    ) throws(KeychainError) {
        guard let own = ownPath(), let end = own.lastIndex(of: "/") else {
            throw KeychainError(.notAvailable, "where this program is cannot be told")
        }
        let path = own[...end] + name
        var strings = unsafe ([String(path)] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe strings.forEach { unsafe free($0) } }
        // Nothing of this process's environment is its business.
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer { unsafe environment.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let result = unsafe clinux_start_program(
            String(path),
            &strings,
            &environment,
            descriptors,
            Int32(descriptors.count),
            &pid
        )
        guard result == 0 else { throw KeychainError(errno: result, "\(path) cannot be started") }
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
