import ArgumentParser
import KeychainModel

/// The root of the commands: what `chatelaine --help` shows.
struct ChatelaineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chatelaine",
        abstract: "Lock keychains, sign programs, say who is trusted, and look after the keychain service.",
        discussion: """
            EXAMPLES
              Protect what is in the keychain by a passcode, and lock it:
                chatelaine passcode set
                chatelaine lock
              A team of your own, once:
                chatelaine team new EXAMPLE01 --out team.pem --certificate team-certificate.pem
              Sign a program with what it may do:
                chatelaine sign --team team.pem --entitlements app.entitlements app
              Trust the team on this machine, and install the program:
                sudo chatelaine team trust team-certificate.pem
                sudo install app /usr/local/bin/
                sudo chatelaine install-app /usr/local/bin/app

            EXIT STATUS
              0  done, or all is well
              1  not done: the message says why
              2  the command line is not understood
            """,
        version: "chatelaine \(ProductVersion.current)",
        groupedSubcommands: [
            CommandGroup(name: "Teams", subcommands: [TeamCommand.self]),
            CommandGroup(
                name: "Programs",
                subcommands: [
                    SignProgram.self, VerifyProgram.self, ShowEntitlements.self, InstallApp.self, UninstallApp.self,
                    PortPackage.self, BuildPackage.self,
                ]
            ),
            CommandGroup(
                name: "Keychain",
                subcommands: [
                    PasscodeCommand.self, LockKeychain.self, UnlockKeychain.self, ChangeSettings.self, RotateKeys.self,
                    WatchKeychain.self, BackupCommand.self, ImportPasswords.self, ExportPasswords.self,
                    AdoptKeychain.self, AccessCommand.self, CodeCommand.self, SyncCommand.self, ShowHistory.self,
                    ShowDeleted.self,
                    RestoreVersion.self, DiscardVersion.self,
                    PasskeysCommand.self, SSHCommand.self,
                ]
            ),
            CommandGroup(name: "Other programs", subcommands: [CredentialCommand.self, SecretsCommand.self]),
            CommandGroup(name: "Service", subcommands: [ShowStatus.self, Doctor.self, ShowAudit.self, RunAgent.self]),
        ]
    )
}
