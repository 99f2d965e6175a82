import ArgumentParser
import Terminal

struct ShowSecretsStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say who serves org.freedesktop.secrets, and why programs do not come to this keychain.",
        discussion: """
            Where this service is enabled and nobody has the name, the bus is told to start it, as by any program that \
            asks. The status is 1 where a program is not given its secrets from this keychain now.
            """
    )

    func run() throws {
        let diagnosis = try SecretsDiagnosis()
        for finding in diagnosis.findings { print(TerminalText.escaped(finding)) }
        if !diagnosis.isReached { throw ExitCode.failure }
    }
}
