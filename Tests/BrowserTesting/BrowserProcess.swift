import Foundation
import Glibc
import Synchronization

/// Chromium as a process group of its own, with a folder of its own for all that it writes.
final class BrowserProcess: Sendable {
    /// The program itself. Debian's /usr/bin/chromium is a shell script that leaves the descriptors alone, but that takes
    /// its time, and flags from the environment and from files.
    static let program = "/usr/lib/chromium/chromium"

    let identifier: pid_t
    let folder: String
    /// Our end of the socket that is its descriptors 3 and 4.
    let socket: Int32
    private let hasEnded = Mutex(false)

    init(arguments: [String]) throws {
        let folder = try Self.newFolder()
        do {
            let words = [Self.program, "--user-data-dir=\(folder)/profile"] + arguments
            (identifier, socket) = try Self.start(words, folder)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
        self.folder = folder
    }

    deinit {
        end()
        Glibc.close(socket)
    }

    /// The last that it complained of.
    var log: String {
        String(decoding: (FileManager.default.contents(atPath: folder + "/log") ?? Data()).suffix(1_000), as: UTF8.self)
    }

    /// Kills it and all its children, waits until they have gone, and removes the folder.
    func end() {
        hasEnded.withLock { hasEnded in
            guard !hasEnded else { return }
            hasEnded = true
            let deadline = Deadline(within: 10)
            repeat {
                kill(-identifier, SIGKILL)
                for process in running { kill(process, SIGKILL) }
                usleep(2_000)
            } while !running.isEmpty && !deadline.isPast
            waitpid(identifier, nil, WNOHANG)
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    /// What still runs of it, which is more than its group: those who record crashes leave that, but name the folder.
    ///
    /// Without those that have ended: orphans may stay in the list of processes for as long as init likes.
    private var running: [pid_t] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { pid_t($0) }.filter { process in
            func file(_ name: String) -> Data {
                FileManager.default.contents(atPath: "/proc/\(process)/\(name)") ?? Data()
            }
            if file("cmdline").range(of: Data(folder.utf8)) != nil { return true }
            // After the name, which is in brackets: the state, the parent and the group.
            let fields = String(decoding: file("stat"), as: UTF8.self).split(separator: ")").last?.split(separator: " ")
            guard let fields, fields.count > 2, fields[0] != "Z" else { return false }
            return pid_t(fields[2]) == identifier
        }
    }

    private static func newFolder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.path + "/chatelaine-browser-\(UUID().uuidString.prefix(8))"
        // Not in the profile, which Chromium makes itself.
        try FileManager.default.createDirectory(
            atPath: folder + "/tmp",
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        return folder
    }

    /// The environment of the tests, with other places to write to, and neither a proxy nor a message bus.
    private static func environment(_ folder: String) -> [String] {
        let variables = ProcessInfo.processInfo.environment
            .filter { !$0.key.lowercased().hasSuffix("_proxy") && !$0.key.hasPrefix("XDG_") }
            .merging(["HOME": folder, "TMPDIR": folder + "/tmp", "DBUS_SESSION_BUS_ADDRESS": "disabled:"]) { $1 }
        return variables.map { "\($0)=\($1)" }
    }

    /// Starts it with one end of a pair of sockets for both descriptors. Unlike a pipe, a socket of which the other end
    /// has gone can be written to without a signal.
    private static func start(_ words: [String], _ folder: String) throws -> (identifier: pid_t, socket: Int32) {
        var sockets: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0 else {
            throw BrowserFailure("no sockets for the browser: \(unsafe String(cString: strerror(errno)))")
        }
        defer { Glibc.close(sockets[1]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, sockets[1], 3)
        // Not from the socket's own number, which may have been 3, and with 4 the other end's.
        unsafe posix_spawn_file_actions_adddup2(&actions, 3, 4)
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, folder + "/log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Other threads may have just made descriptors whose other ends wait for their last copy to close. To close one that
        // is not there is no error.
        for descriptor in Int32(5)..<1024 { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
        )
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        // The threads of tests block signals, and a program may ignore some.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)

        let arguments = unsafe words.map { unsafe strdup($0) }
        let variables = unsafe environment(folder).map { unsafe strdup($0) }
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let status = unsafe posix_spawn(
            &identifier,
            program,
            &actions,
            &attributes,
            arguments + [nil],
            variables + [nil]
        )
        guard status == 0 else {
            Glibc.close(sockets[0])
            throw BrowserFailure("cannot start \(program): \(unsafe String(cString: strerror(status)))")
        }
        return (identifier, sockets[0])
    }
}
