import ArgumentParser

/// Hands over to a program of its own: this one would be twice as large with a server of pages in it.
struct AccessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "Show the keychain in the browser: what is stored, who may read it, passwords.",
        discussion: "Runs chatelaine-access with the same arguments: see chatelaine-access(1)."
    )

    @Argument(parsing: .captureForPassthrough, help: "What chatelaine-access is told, such as --no-browser.")
    var arguments: [String] = []

    func run() throws {
        try ForwardedProgram.execute("chatelaine-access", arguments)
    }
}
