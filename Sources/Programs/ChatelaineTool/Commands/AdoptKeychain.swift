import ArgumentParser
import KeychainClient
import KeychainModel
import Terminal

struct AdoptKeychain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt-keychain",
        abstract: "Bind a keychain to this machine that was made on another one.",
        discussion: """
            A keychain whose device key is a file says for which machine it is, so that a copied or synchronized folder does not \
            open elsewhere by accident. After a new installation that has kept the folder, this makes it the machine's own. Items \
            that are for one device only come along, and it opens no longer where it was.
            """
    )

    @Option(
        help: ArgumentHelp("The folder with device.key; your own keychain's, if none is named.", valueName: "dir")
    )
    var directory: String?

    func run() throws {
        let folder = try directory ?? CopiedKeychain.ownFolder()
        try CopiedKeychain.adopt(folder)
        Console.print("The keychain in \(TerminalText.escaped(folder)) opens on this machine from now on.\n")
    }
}
