/// The command line with the options before the command taken off: `security [-hilqv] [-p prompt] [command …]`.
struct Invocation {
    private(set) var isInteractive = false
    private(set) var isQuiet = false
    private(set) var prompt = "security> "
    /// The command's name and what follows it.
    private(set) var command: [String]

    /// Nothing was asked for.
    var isEmpty: Bool { command.isEmpty && !isInteractive }

    init(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.first, argument != "-",
            let match = argument.wholeMatch(of: /-(?<flags>[ilqv]*)(?:p(?<prompt>.*))?/)
        {
            rest.removeFirst()
            isInteractive = isInteractive || match.flags.contains("i") || match.prompt != nil
            isQuiet = isQuiet || match.flags.contains("q")
            if let joined = match.prompt {
                prompt = joined.isEmpty ? rest.popFirst() ?? prompt : String(joined)
            }
        }
        command = Array(rest)
    }
}
