import CKeychainLinux
import Glibc

/// Programs of the user's own that a command starts, with its terminal.
enum ChildProgram {
    /// Runs a program and waits for its end.
    ///
    /// - Parameters:
    ///   - name: looked for in the folders of `PATH`, as the user's shell does.
    ///   - variables: set beside those that this process has.
    /// - Returns: its exit status; 128 and more where a signal ended it.
    static func run(_ name: String, _ arguments: [String], with variables: [String: String] = [:]) throws -> Int32 {
        try wait(for: start(path(of: name), arguments, with: variables), path: name)
    }

    /// Starts the program at a path.
    ///
    /// - Returns: its process, which has to be waited for.
    static func start(_ path: String, _ arguments: [String], with variables: [String: String]) throws -> pid_t {
        var environment = inherited.filter { entry in
            !variables.keys.contains { entry.hasPrefix($0 + "=") }
        }
        environment += variables.map { "\($0)=\($1)" }
        var list = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var settings = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe list.forEach { unsafe free($0) }
            unsafe settings.forEach { unsafe free($0) }
        }
        var pid: pid_t = 0
        let result = unsafe clinux_start_program(path, &list, &settings, nil, 0, &pid)
        guard result == 0 else {
            throw Failure("\(path) cannot be started: \(unsafe String(cString: strerror(result)))")
        }
        return pid
    }

    /// - Returns: the exit status; 128 and more where a signal ended it.
    static func wait(for pid: pid_t, path: String) throws -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw Failure("\(path) cannot be waited for: \(AgentServer.reason)") }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    private static func path(of name: String) throws -> String {
        let folders = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
        for folder in folders.split(separator: ":") where folder.hasPrefix("/") {
            let path = folder + "/" + name
            if unsafe access(path, X_OK) == 0 { return path }
        }
        throw Failure("\(name) is not installed")
    }

    private static var inherited: [String] {
        var entries: [String] = []
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            unsafe entries.append(String(cString: entry))
            unsafe next += 1
        }
        return entries
    }
}
