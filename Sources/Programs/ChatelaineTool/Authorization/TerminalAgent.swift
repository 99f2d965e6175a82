import Glibc

/// polkit's agent for a terminal, which asks the person who typed the command.
///
/// pkexec has one within, which polkitd refuses ("No session for cookie", as in polkit 122): pkexec is root when it registers
/// it, and what checks the password is not. So pkexec is started with `--disable-internal-agent`, and this one before.
struct TerminalAgent: ~Copyable {
    private static let program = "/usr/bin/pkttyagent"

    private let process: pid_t

    /// Returns when the agent is registered for this process, or cannot be: polkit says so then to pkexec.
    init() {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            process = -1
            return
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Not as `--fallback`, which polkit 122 asks for no process: a person at a terminal is asked there, also on a desktop.
        let words = [Self.program, "--process", "\(getpid())", "--notify-fd", "3"]
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // It asks on the terminal itself.
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 3)
        var child: pid_t = -1
        let isStarted = unsafe posix_spawn(&child, Self.program, &actions, nil, &arguments, environ) == 0
        process = isStarted ? child : -1
        close(ends[1])
        // It closes its end once it is registered, and at its end.
        var state = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        if isStarted { while unsafe poll(&state, 1, Self.patience) < 0, errno == EINTR {} }
        close(ends[0])
    }

    /// In milliseconds.
    private static let patience: Int32 = 5_000

    deinit {
        guard process > 0 else { return }
        kill(process, SIGTERM)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }
}
