import ArgumentParser
import KeychainClient
import MessageBus
import SecretServiceModel
import Terminal

struct ServeSecrets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Take the name org.freedesktop.secrets on the session's bus, and serve it."
    )

    @Option(help: ArgumentHelp("The bus, instead of the session's own.", valueName: "address"))
    var address: String?

    func run() throws {
        try GuardedProcess.enter()
        do {
            try SecretsProcess(address: address).run()
        } catch let failure as BusFailure {
            throw Failure("the session's bus cannot be used: \(failure.text)")
        } catch let error as BusError {
            throw Failure("the session's bus cannot be used: \(error.text)")
        }
    }
}
