import CKeychainLinux
import Glibc
import KeychainModel
import KeychainSystem

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

    private let pid: pid_t
    private let process: Int32
    private let output: Int32
    private let watched: Watched
    /// -1 once it is closed.
    private var input: Int32
    private var reader = AssuanReader()
    private var hasEnded = false

    init(_ path: String, environment: [String], watching watched: Watched) throws(KeychainError) {
        var conversation = clinux_conversation()
        let result = unsafe CStrings.with([path]) { arguments in
            unsafe CStrings.with(environment) { variables in
                unsafe clinux_start_conversation(path, arguments, variables, &conversation)
            }
        }
        guard result == 0 else {
            let error = SystemError(result, "\(path), which would ask for it, cannot be started")
            throw KeychainError(.notAvailable, "\(error)")
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
            _ = ChildProgram.wait(for: pid)
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
        do {
            let ready = try Waiting.wait(
                for: (output, POLLIN),
                (watched.wake, POLLIN),
                (process, POLLIN),
                (watched.signals, POLLIN),
                // What is typed is not for us; that it is gone is told in any case.
                (watched.terminal, 0),
                until: deadline
            )
            guard ready.contains(true) else { throw Interruption.late }
            if ready[1] { throw Interruption.withdrawn }
            if ready[0] { return }
            if ready[3] { throw Interruption.signal }
            if ready[4] { throw Interruption.hungUp }
            // Its output may be held open by a program that it started itself.
            throw Interruption.ended
        } catch {
            throw error as? Interruption ?? .ended
        }
    }

    /// Waits until it has ended by itself.
    ///
    /// - Returns: nil where it did not.
    mutating func waitForEnd(within patience: Duration) -> ChildProgram.Ending? {
        closeInput()
        guard !hasEnded else { return .unknown }
        let deadline = ContinuousClock.now + patience
        let hasEndedByThen = (try? LentDescriptor(process).wait(for: POLLIN, until: deadline)) ?? false
        return hasEndedByThen ? reap() : nil
    }

    /// Ends it such that it leaves the terminal in order, if it can.
    ///
    /// At SIGINT pinentry-curses ends the screen's use and itself, and pinentry-tty stops reading and restores what it
    /// set (SIGTERM or the end of its input would not have it do so). It is repeated, for pinentry-tty misses one that
    /// comes just before it reads; and a process that was stopped as it sat in the background has to go on to hear of
    /// it.
    mutating func end(within patience: Duration) -> ChildProgram.Ending {
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

    private mutating func reap() -> ChildProgram.Ending {
        hasEnded = true
        return ChildProgram.wait(for: pid)
    }

    private mutating func closeInput() {
        guard input >= 0 else { return }
        close(input)
        input = -1
    }
}
