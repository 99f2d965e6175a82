import Foundation
import Synchronization

/// A program that runs beside the tests.
final class ChildProcess: Sendable {
    let pid: pid_t
    private let ended = Mutex<Int32?>(nil)

    /// - Parameters:
    ///   - words: the program, looked for on PATH, and its arguments.
    ///   - log: gets what it prints.
    init(_ words: [String], log: String) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { throw Failure("no memory") }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { word in
            unsafe word.withCString { unsafe strdup($0) }
        }
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let status = unsafe posix_spawnp(&pid, words[0], &actions, nil, arguments + [nil], environ)
        guard status == 0 else {
            throw Failure("cannot start \(words[0]): \(unsafe String(cString: strerror(status)))")
        }
        self.pid = pid
    }

    /// The status of waitpid(2), once it has ended.
    var status: Int32? {
        ended.withLock { ended in
            if ended != nil { return ended }
            var status: Int32 = 0
            let result = unsafe waitpid(pid, &status, WNOHANG)
            if result != 0 { ended = result == pid ? status : -1 }
            return ended
        }
    }

    func wait(seconds: Double) throws {
        try waited(for: "the end of process \(pid)", seconds: seconds) { status }
    }

    /// At once, with no word to it.
    func kill() {
        guard status == nil else { return }
        Glibc.kill(pid, SIGKILL)
        try? wait(seconds: 20)
    }

    /// Runs a program to its end.
    ///
    /// - Throws: where it fails; its output is in the log.
    static func run(_ words: [String], log: String, seconds: Double = 300) throws {
        let process = try ChildProcess(words, log: log)
        do { try process.wait(seconds: seconds) } catch {
            process.kill()
            throw error
        }
        guard process.status == 0 else { throw Failure("\(words.joined(separator: " ")) failed; see \(log)") }
    }
}
