import ArgumentParser

/// What a search prints of the item that it found.
struct ShowOptions: ParsableArguments {
    @Flag(name: [.customShort("g"), .customLong("show-password")], help: "Print the password too, to standard error.")
    var showsPassword = false

    @Flag(name: [.customShort("w"), .customLong("password")], help: "Print the password and nothing else.")
    var onlyPassword = false

    @Flag(help: "Print the password's bytes as they are, without a newline and never as digits.")
    var raw = false

    @Flag(help: "Print JSON; with -g or -w the password is in it.")
    var json = false

    static let syntax = OptionSyntax(flags: ["g", "show-password", "w", "password", "raw", "json"])

    func validate() throws {
        if raw && json { throw ValidationError("--raw and --json exclude each other.") }
    }
}
