import ArgumentParser

struct SecretsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets",
        abstract: "Serve programs that keep their secrets through D-Bus, and move in from gnome-keyring or KWallet.",
        discussion: "Runs chatelaine-secrets with the same arguments: see chatelaine-secrets(1)."
    )

    @Argument(parsing: .captureForPassthrough, help: "What it is to do: status, enable, disable, import, protect.")
    var arguments: [String] = []

    func run() throws {
        try ForwardedProgram.execute("chatelaine-secrets", arguments)
    }
}
