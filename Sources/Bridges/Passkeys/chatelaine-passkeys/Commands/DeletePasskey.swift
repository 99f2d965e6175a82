import ArgumentParser
import PasskeyProtocol

struct DeletePasskey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a passkey. The site keeps its half: remove it there too.",
        discussion: """
            The owner of the keychain confirms it. A passkey of this device has no copy; one of all devices goes from all \
            of them.
            """
    )

    @Argument(help: "The beginning of its number, or its site.")
    var passkey: String

    func run() throws {
        let passkey = try PasskeySelection.passkey(toChange: passkey)
        let consent = try OwnerConsent.ofCommand(.delete(site: passkey.site, user: passkey.user))
        defer { withExtendedLifetime(consent) {} }
        try PasskeyItems.delete(passkey)
    }
}
