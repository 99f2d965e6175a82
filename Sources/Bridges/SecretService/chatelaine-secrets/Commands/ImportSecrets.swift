import ArgumentParser
import Foundation
import KeychainModel
import MessageBus
import SecretServiceModel
import Terminal

struct ImportSecrets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Copy everything from the Secret Service that runs now, such as gnome-keyring or KWallet.",
        discussion: """
            Takes all collections with their labels and items, attributes as they are, and reads back what it
            has written. Items that are there already, with the same attributes in the same collection, are replaced.
            Names that collections have besides their own (aliases) are kept, as far as the source tells them.
            Nothing is removed at the source. Afterwards: chatelaine secrets enable.
            """
    )

    @Option(
        name: .customLong("alias"),
        help: ArgumentHelp("Another name of a collection, to be asked for and kept. Repeatable.", valueName: "name")
    )
    var aliases: [String] = []

    func run() throws {
        let source = try ForeignSecrets()
        let secrets = try KeychainSecrets(callers: BusCallers())
        guard try secrets.lockState() != .locked else {
            throw Failure("the keychain is locked; chatelaine unlock opens it")
        }
        let report = try SecretsImport(from: source, to: secrets, aliases: aliases).run()
        // Before the failure's own line, which speaks of them: both are on standard error.
        for line in report.left {
            FileHandle.standardError.write(Data("not taken: \(TerminalText.escaped(line))\n".utf8))
        }
        for (name, label) in report.aliases {
            print("“\(TerminalText.escaped(label))” has the name \(TerminalText.escaped(name)).")
        }
        print("\(report.items) items of \(report.collections) collections were taken and read back.")
        guard report.left.isEmpty else { throw Failure("something was left; it is named above") }
    }
}
