import ArgumentParser

/// The root of the commands: what `chatelaine secrets --help` shows.
struct SecretsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chatelaine secrets",
        abstract: "Serve programs that keep their secrets through D-Bus (org.freedesktop.secrets).",
        subcommands: [
            ServeSecrets.self, ShowSecretsStatus.self, EnableSecrets.self, DisableSecrets.self, ImportSecrets.self,
            ProtectCollection.self, UnprotectCollection.self,
        ],
        defaultSubcommand: ServeSecrets.self
    )
}
