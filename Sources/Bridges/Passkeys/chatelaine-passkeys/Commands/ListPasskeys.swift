import ArgumentParser
import PasskeyProtocol
import Terminal

struct ListPasskeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the passkeys in the keychain: number, place, site and account.",
        discussion: "The owner of the keychain confirms it: which sites somebody uses is nobody else's business."
    )

    @Argument(help: "Show those for one site alone.")
    var site: String?

    func run() throws {
        let (passkeys, unreadable) = try PasskeySelection.all(.manage)
        for passkey in passkeys where site == nil || passkey.site.id == site {
            let account = passkey.user.name.isEmpty ? "" : " " + TerminalText.escaped(passkey.user.name)
            try PasskeysTool.print(
                "\(passkey.number.prefix(12)) (\(passkey.place)) \(TerminalText.escaped(passkey.site.id))\(account)"
            )
        }
        if unreadable > 0 {
            PasskeysTool.complain("\(unreadable) more are damaged, or of a later version of this program")
        }
    }
}
