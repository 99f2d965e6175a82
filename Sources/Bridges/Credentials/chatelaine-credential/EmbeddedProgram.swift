import Glibc
import KeychainModel

/// The command that opens a keychain where no service does: `chatelaine`, which has the engine in it and starts three times
/// as slowly.
enum EmbeddedProgram {
    /// Becomes that command, under the name that this one was started with.
    ///
    /// - Returns: why it did not.
    static func execute(_ arguments: [String]) -> KeychainError {
        guard let own = ownPath() else {
            return KeychainError(.notAvailable, "the program cannot tell where it is installed")
        }
        let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        // Installed in libexec/chatelaine, or built beside it.
        for path in [folder + "/../../bin/chatelaine", folder + "/chatelaine"] where isExecutable(path) {
            let name = arguments.first?.split(separator: "/").last.map(String.init) ?? ""
            let words = ["chatelaine", "credential-helper", own, name] + arguments.dropFirst()
            var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
            unsafe execv(path, &pointers)
        }
        return KeychainError(.notAvailable, "the command chatelaine, which opens this keychain, is not there")
    }

    private static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    private static func ownPath() -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                unsafe characters.baseAddress.map { unsafe readlink("/proc/self/exe", $0, characters.count) } ?? -1
            }
        }
        guard count > 0, count < bytes.count else { return nil }
        return String(validating: bytes.prefix(count), as: UTF8.self)
    }
}
