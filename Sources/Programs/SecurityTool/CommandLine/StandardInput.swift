import Synchronization

/// What the command reads from standard input.
enum StandardInput {
    /// Whether the next line is a command, and so no password.
    static let holdsCommands = Atomic<Bool>(false)
}
