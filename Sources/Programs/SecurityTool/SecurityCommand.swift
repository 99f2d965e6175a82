import ArgumentParser
import KeychainModel

/// The root of the commands: what `security --help` shows.
///
/// The options before a command are read by `Invocation`. Declared here, they would also be taken from among those of
/// the commands, some of which have the same letters.
struct SecurityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "security",
        abstract: "Look after what is in your keychain, as on a Mac.",
        usage: "security [-hilqv] [-p prompt] [command] [options]",
        discussion: """
            The commands, their options, output and exit statuses are those of the Mac's security command.

            EXAMPLES
              Save a password, asking for it on the terminal:
                security add-generic-password -s backup -a alice -w
              Use it in a script:
                PASS=$(security find-generic-password -s backup -a alice -w)
              See what is there:
                security list

            BEFORE THE COMMAND
              -i          Read commands from standard input, one a line, with quotes as
                          in a shell: so scripts keep secrets off command lines.
              -p prompt   The same, asking with this prompt.
              -q          Print no error messages.
              -l, -v      No effect; accepted for scripts from a Mac.
            """,
        version: "security (Chatelaine) \(ProductVersion.current)",
        groupedSubcommands: [
            CommandGroup(
                name: "Generic password",
                subcommands: [AddGenericPassword.self, FindGenericPassword.self, DeleteGenericPassword.self]
            ),
            CommandGroup(
                name: "Internet password",
                subcommands: [AddInternetPassword.self, FindInternetPassword.self, DeleteInternetPassword.self]
            ),
            CommandGroup(
                name: "Keys and certificates",
                subcommands: [
                    FindCertificate.self, FindIdentity.self, ImportItems.self, ExportItems.self, CreateKeypair.self,
                    CreateCertificateRequest.self, CreateCertificate.self, VerifyCertificate.self,
                ]
            ),
            CommandGroup(
                name: "Locking",
                subcommands: [
                    LockKeychain.self, UnlockKeychain.self, SetKeychainPassword.self, SetKeychainSettings.self,
                    ShowKeychainInfo.self,
                ]
            ),
            CommandGroup(
                name: "Keychains",
                subcommands: [
                    CreateKeychain.self, DeleteKeychain.self, ListKeychains.self, DefaultKeychain.self,
                    LoginKeychain.self, SetKeyPartitionList.self, SetGenericPasswordPartitionList.self,
                    SetInternetPasswordPartitionList.self,
                ]
            ),
            CommandGroup(
                name: "Keychain",
                subcommands: [
                    ListItems.self, DumpKeychain.self, VerifyKeychain.self, RepairKeychain.self, ExplainError.self,
                ]
            ),
        ]
    )

    static func hasSubcommand(_ name: String) -> Bool {
        name == "help" || commands.contains { $0.configuration.commandName == name }
    }

    static let commands: [any ItemCommand.Type] = [
        AddGenericPassword.self, AddInternetPassword.self, FindGenericPassword.self, FindInternetPassword.self,
        DeleteGenericPassword.self, DeleteInternetPassword.self, DumpKeychain.self, ListItems.self, VerifyKeychain.self,
        RepairKeychain.self, ExplainError.self, LockKeychain.self, UnlockKeychain.self, SetKeychainPassword.self,
        SetKeychainSettings.self, ShowKeychainInfo.self, FindCertificate.self, FindIdentity.self, ImportItems.self,
        ExportItems.self, CreateKeypair.self, CreateCertificateRequest.self, CreateCertificate.self,
        VerifyCertificate.self, CreateKeychain.self, DeleteKeychain.self, ListKeychains.self, DefaultKeychain.self,
        LoginKeychain.self, SetKeyPartitionList.self, SetGenericPasswordPartitionList.self,
        SetInternetPasswordPartitionList.self,
    ]
}
