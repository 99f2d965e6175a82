import Glibc

/// A script for bash.
struct Script {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Runs it to its end. What it leaves in the background is not waited for.
    ///
    /// - Parameter heard: gets standard output and standard error as they come.
    /// - Returns: the exit status; 128 and the signal's number where a signal ended it; 127 where nothing could be started.
    func run(_ heard: ([UInt8]) -> Void) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return 127 }
        ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        guard let process = start(output: ends[1]) else {
            close(ends[1])
            return 127
        }
        close(ends[1])
        var status: Int32 = 0
        while true {
            var request = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            let isReady = unsafe poll(&request, 1, 20) == 1
            if isReady, let bytes = readSome(from: ends[0]) {
                heard(bytes)
                continue
            }
            // Nothing waits to be read: either it goes on, or that was all.
            if unsafe waitpid(process, &status, WNOHANG) != 0 { break }
            if isReady { usleep(20_000) }
        }
        // What came between the last look and the end.
        var request = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        while unsafe poll(&request, 1, 0) == 1, let bytes = readSome(from: ends[0]) { heard(bytes) }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    private func start(output: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 2)
        let words = unsafe Self.strings(["/bin/bash", "-c", text])
        let environment = unsafe Self.strings([
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8",
            "DEBIAN_FRONTEND=noninteractive",
        ])
        defer { unsafe (words + environment).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawn(&process, "/bin/bash", &actions, nil, words, environment)
        return status == 0 ? process : nil
    }

    /// As C takes them, with a nil at their end.
    private static func strings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe strings.map { text in unsafe text.withCString { unsafe strdup($0) } } + [nil]
    }
}
