import ArgumentParser
import Terminal

/// Which items a command is about, beyond their attributes. macOS's command has none of these.
struct ScopeOptions: ParsableArguments {
    @Option(help: "Only this access group (adding: the group that gets the item, instead of \"security\").")
    var group: String?

    @Flag(help: "Only items that travel to your other machines (adding: let it travel).")
    var synchronizable = false

    static let syntax = OptionSyntax(flags: ["synchronizable"], valued: ["group"])
}

/// The keychain files of a Mac's command line. Here is one keychain, so they choose nothing.
struct KeychainArguments: ParsableArguments {
    @Argument(help: "Accepted for scripts from a Mac; there is one keychain.", completion: .file())
    var keychains: [String] = []

    /// Says that a keychain was named that is not there. The names of the Mac's usual keychains mean this one.
    ///
    /// - Throws: where it is no keychain's name but the rest of a value without quotes, or the value of an option that
    ///   was left out. It may be a part of a password, so it is not repeated.
    func check() throws(Failure) {
        for keychain in keychains {
            let name = keychain.split(separator: "/").last.map(String.init) ?? ""
            if Self.usual.contains(name) { continue }
            guard keychain.contains("/") || name.hasSuffix(".keychain") || name.hasSuffix(".keychain-db") else {
                throw Failure(
                    """
                    an argument is neither an option nor a keychain; does a value need quotes, or an option before it?
                    """,
                    exitStatus: Tool.usageStatus
                )
            }
            let escaped = TerminalText.escaped(keychain)
            Console.printError("security: there is one keychain here; \"\(escaped)\" is ignored\n")
        }
    }

    private static let usual = [
        "login", "login.keychain", "login.keychain-db", "System", "System.keychain", "default", "default.keychain",
    ]
}
