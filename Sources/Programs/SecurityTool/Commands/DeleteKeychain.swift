import ArgumentParser
import EnclaveInterface
import KeychainClient
import Security
import Terminal

struct DeleteKeychain: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-keychain",
        abstract: "Delete keychains, with all that is in them.",
        discussion: """
            Those that create-keychain has made. Your own keychain is not deleted.

            EXAMPLES
              security delete-keychain build.keychain
            """
    )

    static let syntax = OptionSyntax()

    @Argument(help: "Names or paths.", completion: .file())
    var keychains: [String]

    private static let call = "SecKeychainDelete"

    func run() throws {
        for name in keychains {
            guard case .other(let folder) = try NamedKeychain(name, for: Self.call) else {
                throw Failure("\(Self.call) \(TerminalText.escaped(name))", errSecReadOnly)
            }
            let keychain = NamedKeychain.other(folder: folder)
            keychain.select()
            // Its keys leave the memory that programs share.
            if let control = try? KeychainControl(.lock, name), (try? control.state())?.hasPasscode ?? false {
                try control.lock()
            }
            try KeychainFolder.delete(folder)
            CurrentKeychain.forget(.embedded(directory: folder))
            if (try SearchList.current()).names(keychain) { try SearchList.change { $0.forget(keychain) } }
        }
    }
}
