import Foundation
import Glibc

/// A program that runs on a terminal of its own, and what has been seen there.
final class PseudoTerminal {
    private let master: Int32
    private let slave: Int32
    private(set) var seen = ""
    let process: pid_t

    /// `POSIX_SPAWN_SETSID`, which the headers show to GNU programs only.
    private static let newSession: Int16 = 0x80

    struct Failed: Error {
        let step: String
    }

    /// Starts a program as the leader of a new session, whose terminal this is.
    init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
        var master: Int32 = -1
        var slave: Int32 = -1
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&master, &slave, nil, nil, &size) == 0, let name = ttyname(slave) else {
            throw Failed(step: "openpty")
        }
        self.master = master
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        _ = fcntl(slave, F_SETFD, FD_CLOEXEC)
        // Kept open: what a program wrote before it ended would be lost without it.
        self.slave = slave
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens becomes the session's.
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of tests block signals, which the program would inherit.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Self.newSession | Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var process: pid_t = 0
        guard posix_spawn(&process, program, &actions, &attributes, &words, &variables) == 0 else {
            throw Failed(step: "posix_spawn")
        }
        self.process = process
    }

    deinit {
        kill(process, SIGKILL)
        close(slave)
        close(master)
    }

    /// Reads until a text has been seen, for at most ten seconds.
    func wait(for text: String) throws {
        let deadline = Date(timeIntervalSinceNow: 10)
        while !seen.contains(text) {
            var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard Date() < deadline else { throw Failed(step: "waiting for \(text); seen: \(seen)") }
            guard poll(&request, 1, 100) > 0 else { continue }
            guard readOnce() else { throw Failed(step: "end before \(text); seen: \(seen)") }
        }
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// Whether what is typed is shown at this moment.
    var echoes: Bool {
        var state = termios()
        return tcgetattr(master, &state) == 0 && state.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Waits for the program's end. A signal's number counts from 128.
    func exitStatus(within seconds: TimeInterval = 10) throws -> Int32 {
        let deadline = Date(timeIntervalSinceNow: seconds)
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            guard Date() < deadline else { throw Failed(step: "waiting for the end; seen: \(seen)") }
            usleep(10_000)
        }
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, 0) > 0, readOnce() {}
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    private func readOnce() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(master, &buffer, buffer.count)
        guard count > 0 else { return false }
        seen += String(decoding: buffer[..<count], as: UTF8.self)
        return true
    }
}
