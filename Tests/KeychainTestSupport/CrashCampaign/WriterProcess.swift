import Foundation

/// A process that this one started and waits for itself: until it has done so the number stands for that process and for
/// no other, so that a kill never meets a stranger.
final class WriterProcess {
    private let identifier: pid_t
    private var isGone = false
    private let output: String
    private var isRead = 0

    /// - Parameter output: the file that its output goes to. It outlives the process with all that was written.
    init(_ arguments: [String], environment: [String: String], output: String) throws {
        self.output = output
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, output + ".errors", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        let argumentPointers = arguments.map { strdup($0) } + [nil]
        let variablePointers = variables.map { strdup($0) } + [nil]
        defer { (argumentPointers + variablePointers).forEach { free($0) } }
        var identifier: pid_t = 0
        let error = posix_spawn(&identifier, arguments[0], &actions, nil, argumentPointers, variablePointers)
        guard error == 0 else { throw POSIXError(.init(rawValue: error) ?? .EIO) }
        self.identifier = identifier
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: output)
        try? FileManager.default.removeItem(atPath: output + ".errors")
    }

    /// The lines that it has printed since the last asking; a line without its end stays for the next time.
    func newLines() -> [String] {
        guard let file = FileHandle(forReadingAtPath: output) else { return [] }
        defer { try? file.close() }
        try? file.seek(toOffset: UInt64(isRead))
        let text = (try? file.readToEnd()) ?? Data()
        guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        isRead += end + 1
        return text[..<end].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What it said about its failing.
    var errors: String {
        String(decoding: FileManager.default.contents(atPath: output + ".errors") ?? Data(), as: UTF8.self)
    }

    /// The way it ended by itself; nil while it runs.
    func ending() -> String? {
        guard !isGone else { return "killed" }
        var status: Int32 = 0
        guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
        isGone = true
        return "status \(status): \(errors)"
    }

    /// Kills it, if it is there, and waits for its end.
    func kill() {
        guard !isGone else { return }
        Foundation.kill(identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
        isGone = true
    }
}
