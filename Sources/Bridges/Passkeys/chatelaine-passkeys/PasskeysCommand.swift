import ArgumentParser
import KeychainModel

/// The root of the commands: what `chatelaine passkeys --help` shows.
struct PasskeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chatelaine-passkeys",
        abstract: "Keep passkeys in the keychain, and be the security key that programs log in with.",
        discussion: """
            EXAMPLES
              Have browsers and others find the keychain's security key:
                chatelaine passkeys enable
              The passkeys that there are:
                chatelaine passkeys list
              Everything about one, by the beginning of its number:
                chatelaine passkeys show 3fa8c1
              Delete it:
                chatelaine passkeys delete 3fa8c1

            EXIT STATUS
              0  done
              1  not done: the message says why
              2  the command line is not understood
            """,
        version: "chatelaine \(ProductVersion.current)",
        subcommands: [
            ServePasskeys.self, ListPasskeys.self, ShowPasskey.self, RenamePasskey.self, DeletePasskey.self,
            ImportPasskeys.self, ExportPasskeys.self, EnablePasskeys.self, DisablePasskeys.self, ShowStatus.self,
        ]
    )
}
