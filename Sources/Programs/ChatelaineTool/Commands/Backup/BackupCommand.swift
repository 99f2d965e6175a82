import ArgumentParser

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Make backups of the keychain, look into them, and restore them.",
        subcommands: [
            CreateBackup.self, VerifyBackup.self, ListBackup.self, RestoreBackup.self, NewBackupIdentity.self,
        ]
    )
}
