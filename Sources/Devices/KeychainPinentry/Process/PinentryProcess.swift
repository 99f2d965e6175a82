import CKeychainLinux
import Glibc
import KeychainModel

/// A pinentry that runs, and the lines that go to it and come from it.
struct PinentryProcess: ~Copyable {
    /// Why no further line comes.
    enum Interruption: Error {
        /// The question was withdrawn.
        case withdrawn
        case late
        /// It closed its output, or ended.
        case ended
        /// The terminal is gone. pinentry-curses would not notice, and keep a processor busy.
        case hungUp
        /// This process is told to end.
        case signal
        case malformed
    }

    /// What ends a question from outside, besides its own time; -1 for what there is not.
    struct Watched {
        /// Becomes readable when the question is withdrawn.
        let wake: Int32
        /// Where the person is asked.
        let terminal: Int32
        /// Becomes readable when this process is told to end.
        let signals: Int32
    }

    /// How a process ended.
    enum Ending: Equatable {
        case status(Int32)
        case signal(Int32)
        /// Other code in this process has reaped it.
        case unknown
    }

    private let pid: pid_t
    private let process: Int32
    private let output: Int32
    private let watched: Watched
    /// -1 once it is closed.
    private var input: Int32
    private var reader = AssuanReader()
    private var hasEnded = false

    init(_ path: String, environment: [String], watching watched: Watched) throws(KeychainError) {
        var arguments = unsafe [strdup(path), nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var conversation = clinux_conversation()
        let result = unsafe clinux_start_conversation(path, &arguments, &variables, &conversation)
        guard result == 0 else {
            let reason = unsafe String(cString: strerror(result))
            throw KeychainError(.notAvailable, "\(path), which would ask for it, cannot be started: \(reason)")
        }
        pid = conversation.pid
        process = conversation.process
        input = conversation.input
        output = conversation.output
        self.watched = watched
    }

    deinit {
        if !hasEnded {
            // Only where it was not ended in order.
            _ = clinux_pidfd_signal(process, SIGKILL)
            var status: Int32 = 0
            while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
        }
        if input >= 0 { close(input) }
        close(output)
        close(process)
    }

    /// What the `D` lines have brought since the last command.
    var secret: SecretBytes { reader.secret }

    mutating func send(_ line: [UInt8]) throws(Interruption) {
        reader.forgetData()
        let sent = unsafe line.withUnsafeBytes { bytes in
            unsafe Glibc.send(input, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        // All that is ever said fits into the socket; a pinentry that has no room left reads nothing.
        guard sent == line.count else { throw sent < 0 && errno == EPIPE ? .ended : .late }
    }

    mutating func reply(by deadline: ContinuousClock.Instant) throws(Interruption) -> AssuanReply {
        while true {
            do {
                if let reply = try reader.next() { return reply }
            } catch { throw .malformed }
            try waitForOutput(by: deadline)
            let count: Int
            do { count = try reader.read(from: output) } catch { throw .malformed }
            if count == 0 { throw .ended }
            guard count > 0 || errno == EAGAIN || errno == EINTR else { throw .ended }
        }
    }

    private func waitForOutput(by deadline: ContinuousClock.Instant) throws(Interruption) {
        while true {
            var states = [output, watched.wake, process, watched.signals].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            // What is typed is not for us; that it is gone is told in any case.
            states.append(pollfd(fd: watched.terminal, events: 0, revents: 0))
            let count = unsafe poll(&states, nfds_t(states.count), Self.milliseconds(until: deadline))
            if count == 0, deadline <= .now { throw .late }
            guard count > 0 else {
                guard count == 0 || errno == EINTR || errno == EAGAIN else { throw .ended }
                continue
            }
            if states[1].revents != 0 { throw .withdrawn }
            if states[0].revents != 0 { return }
            if states[3].revents != 0 { throw .signal }
            if states[4].revents != 0 { throw .hungUp }
            // Its output may be held open by a program that it started itself.
            throw .ended
        }
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = deadline - .now
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        return Int32(min(seconds, 86_400) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// Waits until it has ended by itself.
    ///
    /// - Returns: nil where it did not.
    mutating func waitForEnd(within patience: Duration) -> Ending? {
        closeInput()
        guard !hasEnded else { return .unknown }
        let deadline = ContinuousClock.now + patience
        while true {
            var state = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&state, 1, Self.milliseconds(until: deadline)) > 0 { return reap() }
            if deadline <= .now { return nil }
        }
    }

    /// Ends it such that it leaves the terminal in order, if it can.
    ///
    /// At SIGINT pinentry-curses ends the screen's use and itself, and pinentry-tty stops reading and restores what it
    /// set (SIGTERM or the end of its input would not have it do so). It is repeated, for pinentry-tty misses one that
    /// comes just before it reads; and a process that was stopped as it sat in the background has to go on to hear of
    /// it.
    mutating func end(within patience: Duration) -> Ending {
        closeInput()
        guard !hasEnded else { return .unknown }
        let deadline = ContinuousClock.now + patience
        repeat {
            _ = clinux_pidfd_signal(process, SIGINT)
            _ = clinux_pidfd_signal(process, SIGCONT)
            if let ending = waitForEnd(within: min(deadline - .now, .milliseconds(100))) { return ending }
        } while deadline > .now
        _ = clinux_pidfd_signal(process, SIGKILL)
        return reap()
    }

    private mutating func reap() -> Ending {
        hasEnded = true
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { return .unknown }
        }
        // WIFEXITED and its relatives, which are macros.
        return status & 0x7f == 0 ? .status(status >> 8 & 0xff) : .signal(status & 0x7f)
    }

    private mutating func closeInput() {
        guard input >= 0 else { return }
        close(input)
        input = -1
    }
}
