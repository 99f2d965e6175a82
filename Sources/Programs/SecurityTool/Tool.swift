/// The access group of what the command adds without `--group`.
let ownGroup = "security"

/// The command-line tool itself; `Tool+Run.swift` runs its commands.
enum Tool {
    /// The exit status for a command line that is not understood.
    static let usageStatus: Int32 = 2
}
