import ArgumentParser
import PasskeyProtocol
import Terminal

struct ListPasskeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the passkeys in the keychain: number, place, site and account.",
        discussion: """
            The owner of the keychain confirms it: which sites somebody uses is nobody else's business. With --json, the \
            exit status is 1 where a passkey is damaged, which is in no array.
            """
    )

    @Argument(help: "Show those for one site alone.")
    var site: String?

    @Flag(help: "Print an array of JSON.")
    var json = false

    func run() throws {
        let (all, unreadable) = try PasskeySelection.all(.list)
        let passkeys = all.filter { site == nil || $0.site.id.lowercased() == site?.lowercased() }
        if json {
            try PasskeysTool.print(JSONText.array(PasskeyTable.sorted(passkeys).map(\.json)).text())
        } else {
            for line in PasskeyTable.lines(of: passkeys) { try PasskeysTool.print(line) }
        }
        if passkeys.isEmpty, !json {
            PasskeysTool.complain(
                all.isEmpty ? "there are no passkeys in this keychain" : "there is no passkey for that site"
            )
        }
        if unreadable > 0 {
            PasskeysTool.complain("\(unreadable) more are damaged, or of a later version of this program")
            // A script compares what it gets, and would take it for all there is.
            if json { throw ExitCode.failure }
        }
    }
}
