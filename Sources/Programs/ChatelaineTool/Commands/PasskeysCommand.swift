import ArgumentParser

/// Hands over to the program of passkeys: the keychain tells programs apart, and they are that program's.
struct PasskeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkeys",
        abstract: "Look after passkeys: list, show, rename, delete, import, export, enable, disable, status.",
        discussion: "chatelaine passkeys --help says more; so does chatelaine-passkeys(1)."
    )

    @Argument(parsing: .captureForPassthrough, help: "What chatelaine-passkeys is told.")
    var arguments: [String] = []

    func run() throws {
        try ForwardedProgram.execute("chatelaine-passkeys", arguments)
    }
}
