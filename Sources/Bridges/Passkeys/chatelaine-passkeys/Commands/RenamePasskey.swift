import ArgumentParser
import KeychainModel
import PasskeyProtocol

struct RenamePasskey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Change the name of the account that a passkey is listed under. The site does not hear of it."
    )

    @Argument(help: "The beginning of its number, or its site.")
    var passkey: String

    @Argument(help: "The new name.")
    var name: String

    func validate() throws {
        guard (1...Passkey.User.longestName).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy(PromptPart.isShown)
        else { throw ValidationError("a name has 1 to 256 bytes, and no characters that nobody sees") }
    }

    func run() throws {
        var passkey = try PasskeySelection.passkey(toChange: passkey)
        let consent = try OwnerConsent.ofCommand(.rename(site: passkey.site, user: passkey.user, to: name))
        passkey.user = Passkey.User(id: passkey.user.id, name: name, displayName: passkey.user.displayName)
        try PasskeyItems.update(passkey, by: consent)
    }
}
