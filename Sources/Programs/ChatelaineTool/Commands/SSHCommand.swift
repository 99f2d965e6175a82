import ArgumentParser

/// Hands over to the ssh agent's program: the keychain tells programs apart, and its keys are that program's.
struct SSHCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ssh",
        abstract: "Keep ssh keys in the keychain: create, list, export, import, delete, enable, disable, status.",
        discussion: "chatelaine ssh --help says more; so does chatelaine-ssh-agent(1)."
    )

    @Argument(parsing: .captureForPassthrough, help: "What chatelaine-ssh-agent is told.")
    var arguments: [String] = []

    func run() throws {
        try ForwardedProgram.execute("chatelaine-ssh-agent", arguments)
    }
}
