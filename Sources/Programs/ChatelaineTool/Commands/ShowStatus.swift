import ArgumentParser
import EnclaveInterface
import KeychainClient
import KeychainModel
import KeychainProtocol
import Terminal

struct ShowStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say whether the keychain is locked, and how the keychain service is doing.",
        discussion: "Ends with 0 if a service answers, and with 1 otherwise."
    )

    @Option(help: ArgumentHelp("The service's socket; without it, the one that programs would use.", valueName: "path"))
    var socket: String?

    func run() throws {
        if socket == nil { showLock() }
        let service = ServiceConnection(try ServiceChoice.address(socket))
        let status = try service.status()
        let identity = try service.identity()
        Console.print("version      \(TerminalText.escaped(status.version))\n")
        Console.print("mode         \(status.mode.rawValue)\n")
        Console.print("up           \(Int(status.uptime)) seconds\n")
        Console.print("connections  \(status.connections)\n")
        Console.print("this program \(TerminalText.escaped(identity.name))\n")
        for (name, number) in status.numbers.sorted(by: { $0.key < $1.key }) { Console.print("\(name) \(number)\n") }
    }

    /// Nothing where there is no keychain so far, or it has no lock.
    private func showLock() {
        guard let state = try? CurrentKeychain.control().state() else { return }
        let text = LockText(state: state)
        Console.print("keychain     \(text.lock)\n")
        Console.print("passcode     \(text.passcode)\n")
        if state.hasPasscode { Console.print("locks        \(text.settings)\n") }
    }
}
