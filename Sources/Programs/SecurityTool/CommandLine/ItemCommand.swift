import ArgumentParser

/// A command that says which of its options take a value, so that they can be read as on a Mac.
protocol ItemCommand: ParsableCommand {
    static var syntax: OptionSyntax { get }
}
