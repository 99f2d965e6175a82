import ArgumentParser
import EnclaveInterface
import Foundation
import Terminal

struct SetKeychainSettings: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-keychain-settings",
        abstract: "Say when the keychain locks itself.",
        discussion: """
            What is not given is turned off. To have it lock later than it does, the password is asked for.

            EXAMPLES
              When the machine sleeps, and five minutes after the last use:
                security set-keychain-settings -l -u -t 300
              Never:
                security set-keychain-settings
            """
    )

    static let syntax = OptionSyntax(flags: ["l", "lock-on-sleep", "u", "lock-after"], valued: ["t", "timeout"])

    @Flag(name: [.customShort("l"), .customLong("lock-on-sleep")], help: "Lock when the machine sleeps.")
    var locksOnSleep = false

    @Flag(
        name: [.customShort("u"), .customLong("lock-after")],
        help: "Lock after the time that -t gives; -t alone does the same."
    )
    var locksAfterTimeout = false

    @Option(name: [.customShort("t"), .customLong("timeout")], help: "Lock so many seconds after the last use.")
    var timeout: UInt32?

    @OptionGroup var files: KeychainArguments

    func validate() throws {
        // Zero would lock it before anything could be used.
        if timeout == 0 { throw ValidationError("The timeout has to be one second at least.") }
    }

    func run() throws {
        try files.selectOne(for: KeychainControl.Call.settings.rawValue)
        let control = try KeychainControl(.settings, files.keychains.first)
        var settings = try control.state().settings
        settings.locksOnSleep = locksOnSleep
        settings.timeout = timeout
        if try control.change(settings, password: nil) { return }
        let name = files.keychains.first ?? "default"
        _ = try control.change(
            settings,
            password: PasswordPrompt.password("password to unlock \(TerminalText.escaped(name)): ")
        )
    }
}
