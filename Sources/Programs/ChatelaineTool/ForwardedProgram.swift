import Glibc
import KeychainModel

/// A program of ours that one of the tool's commands stands for. The tool becomes it, so that the keychain service sees that
/// program and not the tool, and the items are those that the program uses by itself.
enum ForwardedProgram {
    /// Becomes the program: the one in `../libexec/chatelaine`, or beside the tool in a build folder.
    ///
    /// - Throws: where there is none.
    static func execute(_ name: String, _ arguments: [String]) throws -> Never {
        let folder = try folder()
        for path in ["\(folder)/../libexec/chatelaine/\(name)", "\(folder)/\(name)"] where isExecutable(path) {
            try become(path, [path] + arguments)
        }
        throw Failure("the program \(name) is not installed")
    }

    /// Becomes a program, with this environment.
    ///
    /// - Parameter words: its arguments, beginning with its name.
    /// - Throws: where it cannot be started.
    static func become(_ path: String, _ words: [String]) throws -> Never {
        var words = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe execv(path, &words)
        let reason = unsafe String(cString: strerror(errno))
        throw Failure("\(path) cannot be started: \(reason)")
    }

    /// The folder that the tool is in.
    static func folder() throws -> String {
        try ownPath().split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }

    static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    private static func ownPath() throws -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                unsafe characters.baseAddress.map { unsafe readlink("/proc/self/exe", $0, characters.count) } ?? -1
            }
        }
        guard count > 0, count < bytes.count, let path = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw Failure("the command cannot tell where it is installed")
        }
        return path
    }
}
