/// The access group of what the command adds without `--group`.
let ownGroup = "security"

/// The command-line tool itself; `Tool+Run.swift` runs its commands.
enum Tool {}
