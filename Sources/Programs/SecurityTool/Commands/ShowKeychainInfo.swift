import ArgumentParser
import EnclaveInterface
import Security
import Terminal

struct ShowKeychainInfo: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "show-keychain-info",
        abstract: "Print when the keychain locks itself.",
        discussion: """
            Prints to standard error, as on a Mac, and ends with 36 while the keychain is locked, which scripts use to find \
            that out.
            """
    )

    static let syntax = OptionSyntax()

    @OptionGroup var files: KeychainArguments

    func run() throws {
        try files.selectOne(for: KeychainControl.Call.copySettings.rawValue)
        let control = try KeychainControl(.copySettings, files.keychains.first)
        let state = try control.state()
        guard state.lock == .unlocked else { throw control.refusal(errSecInteractionNotAllowed) }
        var text = "Keychain \"\(TerminalText.escaped(files.keychains.first ?? "<NULL>"))\""
        if state.settings.locksOnSleep { text += " lock-on-sleep" }
        text += state.settings.timeout.map { " timeout=\($0)s" } ?? " no-timeout"
        Console.printError(text + "\n")
    }
}
