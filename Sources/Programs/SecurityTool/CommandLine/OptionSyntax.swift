/// Which options a command has, by their names without dashes.
struct OptionSyntax {
    /// Options without a value.
    var flags: Set<String> = []
    /// Options with a value.
    var valued: Set<String> = []
    /// Options whose value may be missing.
    var optional: Set<String> = []

    static func + (left: OptionSyntax, right: OptionSyntax) -> OptionSyntax {
        OptionSyntax(
            flags: left.flags.union(right.flags),
            valued: left.valued.union(right.valued),
            optional: left.optional.union(right.optional)
        )
    }

    func takesValue(_ name: String) -> Bool {
        valued.contains(name) || optional.contains(name)
    }

    /// Whether an argument is one of the options, spelled out: `-U`, `--label` or `--label=x`.
    func isOption(_ argument: String) -> Bool {
        if argument == "--" { return true }
        if argument.hasPrefix("--") {
            return isName(String(argument.dropFirst(2).prefix { $0 != "=" }))
        }
        return argument.hasPrefix("-") && argument.count == 2 && isName(String(argument.dropFirst()))
    }

    private func isName(_ name: String) -> Bool {
        flags.contains(name) || takesValue(name) || name == "h" || name == "help" || name == "version"
    }
}
