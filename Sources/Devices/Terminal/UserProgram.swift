import Glibc
import KeychainSystem

/// Programs of the user's own that a command starts, with its terminal.
package enum UserProgram {
    /// Runs a program and waits for its end.
    ///
    /// - Parameters:
    ///   - name: looked for in the folders of `PATH`, as the user's shell does.
    ///   - variables: set beside those that this process has.
    /// - Returns: its exit status; 128 and more where a signal ended it.
    package static func run(_ name: String, _ arguments: [String], with variables: [String: String] = [:]) throws
        -> Int32
    {
        try wait(for: start(path(of: name), arguments, with: variables), path: name)
    }

    /// Starts the program at a path.
    ///
    /// - Returns: its process, which has to be waited for.
    package static func start(_ path: String, _ arguments: [String], with variables: [String: String]) throws -> Int32 {
        let own = ChildProgram.ownEnvironment.filter { entry in
            !variables.keys.contains { entry.hasPrefix($0 + "=") }
        }
        return try ChildProgram.start(path, arguments, environment: own + variables.map { "\($0)=\($1)" })
    }

    /// - Returns: the exit status; 128 and more where a signal ended it.
    package static func wait(for pid: Int32, path: String) throws -> Int32 {
        guard let status = ChildProgram.wait(for: pid).shellStatus else {
            throw Failure("\(path) cannot be waited for")
        }
        return status
    }

    private static func path(of name: String) throws -> String {
        let folders = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
        for folder in folders.split(separator: ":") where folder.hasPrefix("/") {
            let path = folder + "/" + name
            if ChildProgram.isExecutable(path) { return path }
        }
        throw Failure("\(name) is not installed")
    }
}
