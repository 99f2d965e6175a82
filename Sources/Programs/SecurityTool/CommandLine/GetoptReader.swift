import ArgumentParser

/// Rewrites a command's options, typed as getopt(3) of a Mac reads them, into a form that can be read in one way only.
///
/// On a Mac `-wa alice` is `-w -a alice`, `-aalice` is `-a alice`, and the value of `-a` is the next argument, even
/// if it starts with a dash. Here each option gets an argument of its own, and its value the next one: `-w -a alice`. A
/// value that starts with a dash stands behind an equals sign: `-a=-alice`.
///
/// An option whose value may be missing (`-w`) has none where the command line ends or another option of the command
/// follows. Anything else is its value, so that a password may start with a dash.
enum GetoptReader {
    static func normalized(_ arguments: [String]) -> [String] {
        guard let name = arguments.first,
            let command = SecurityCommand.commands.first(where: { $0.configuration.commandName == name })
        else { return arguments }
        let options = Array(arguments.dropFirst())
        // Its arguments are negative numbers, and it has no option but the request for help.
        if command == ExplainError.self {
            let asksForHelp = options.contains { command.syntax.isOption($0) && $0 != "--" }
            return asksForHelp || options.contains("--") ? arguments : [name, "--"] + options
        }
        return [name] + normalized(options, as: command.syntax)
    }

    static func normalized(_ arguments: [String], as syntax: OptionSyntax) -> [String] {
        var output: [String] = []
        var rest = arguments[...]

        func append(_ option: String, value: String) {
            output += value.hasPrefix("-") ? ["\(option)=\(value)"] : [option, value]
        }

        func append(_ option: String, name: String) {
            guard syntax.takesValue(name), let next = rest.first,
                !(syntax.optional.contains(name) && syntax.isOption(next))
            else { return output.append(option) }
            rest.removeFirst()
            append(option, value: next)
        }

        while let argument = rest.popFirst() {
            if argument == "--" {
                output.append(argument)
                output.append(contentsOf: rest)
                break
            } else if argument.hasPrefix("--") {
                append(argument, name: String(argument.dropFirst(2)))
            } else if argument.hasPrefix("-"), argument.count > 1 {
                var letters = argument.dropFirst()
                while let letter = letters.popFirst() {
                    if syntax.takesValue(String(letter)), !letters.isEmpty {
                        append("-\(letter)", value: String(letters))
                        break
                    }
                    append("-\(letter)", name: String(letter))
                }
            } else {
                output.append(argument)
            }
        }
        return output
    }
}
