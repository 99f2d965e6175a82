import ArgumentParser

/// Which items a command is about, beyond their attributes. macOS's command has none of these.
struct ScopeOptions: ParsableArguments {
    @Option(help: "Only this access group (adding: the group that gets the item, instead of \"security\").")
    var group: String?

    @Flag(help: "Only items that travel to your other machines (adding: let it travel).")
    var synchronizable = false

    static let syntax = OptionSyntax(flags: ["synchronizable"], valued: ["group"])
}
