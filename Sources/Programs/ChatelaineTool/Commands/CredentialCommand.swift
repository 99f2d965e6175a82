import ArgumentParser

struct CredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "Store and use the credentials of git, docker, cargo, pip, AWS and Kubernetes.",
        discussion: """
            Runs chatelaine-credential with the same arguments: see chatelaine-credential(1).

            EXAMPLES
              Store the credentials of an AWS profile; they are asked for on the terminal:
                chatelaine credential aws set work
              Store the token of a Kubernetes user:
                chatelaine credential kubectl set staging < token
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "A helper, and what it is to do.")
    var arguments: [String] = []

    func run() throws {
        try ForwardedProgram.execute("chatelaine-credential", arguments)
    }
}
