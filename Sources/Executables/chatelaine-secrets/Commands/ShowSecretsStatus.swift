import ArgumentParser
import SecretServiceModel
import SessionBus
import Terminal

struct ShowSecretsStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say who serves org.freedesktop.secrets."
    )

    func run() throws {
        let bus: SessionBus
        do {
            bus = try SessionBus()
        } catch {
            throw Failure("the session's bus cannot be used: \(error.text)")
        }
        guard let owner = bus.owner(of: SecretInterface.name) else {
            print("Nobody serves \(SecretInterface.name).")
            return
        }
        let callers = BusCallers()
        callers.resolve(owner) { bus.process(of: $0) }
        print("\(SecretInterface.name) is served by \(callers.name(of: owner)).")
    }
}
