import ArgumentParser
import PasskeyProtocol
import Terminal

struct ShowPasskey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show everything about a passkey but its secrets.",
        discussion: "The owner of the keychain confirms it."
    )

    @Argument(help: "The beginning of its number, or its site.")
    var passkey: String

    func run() throws {
        let passkey = try PasskeySelection.passkey(passkey, in: PasskeySelection.all(.list).passkeys)
        let lines = [
            ("number", passkey.number),
            ("site", passkey.site.id),
            ("account", passkey.user.name),
            ("displayed as", passkey.user.displayName),
            ("kept on", passkey.place),
            ("found without an account's name (discoverable)", passkey.isDiscoverable ? "yes" : "no"),
            ("who learns of it (credProtect)", passkey.audience),
            ("public key", passkey.keyFingerprint),
        ]
        for (name, value) in lines { try PasskeysTool.print("\(name): \(TerminalText.escaped(value))") }
    }
}
