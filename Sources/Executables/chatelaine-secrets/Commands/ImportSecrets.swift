import ArgumentParser
import KeychainModel
import SecretServiceModel
import SessionBus
import Terminal

struct ImportSecrets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Copy everything from the Secret Service that runs now, such as gnome-keyring or KWallet.",
        discussion: """
            Takes all collections with their labels and items, attributes as they are, and reads back what it
            has written. Items that are there already, with the same attributes in the same collection, are replaced.
            Nothing is removed at the source. Afterwards: chatelaine secrets enable.
            """
    )

    func run() throws {
        let source = try ForeignSecrets()
        let secrets = try KeychainSecrets(callers: BusCallers())
        guard try secrets.lockState() != .locked else {
            throw Failure("the keychain is locked; chatelaine unlock opens it")
        }
        let report = try SecretsImport(from: source, to: secrets).run()
        for line in report.left { print("not taken: \(TerminalText.escaped(line))") }
        print("\(report.items) items of \(report.collections) collections were taken and read back.")
        guard report.left.isEmpty else { throw Failure("something was left; it is named above") }
    }
}
