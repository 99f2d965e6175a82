import ArgumentParser
import EnclaveInterface
import Foundation
import KeychainClient
import KeychainModel
import Security
import Terminal

struct CreateKeychain: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-keychain",
        abstract: "Make another keychain.",
        discussion: """
            It is a folder: the one that the path names, or for a name without a slash, one beside your own keychain. It is \
            unlocked, and does not lock itself before set-keychain-settings says so. With an empty password it has no password. \
            list-keychains adds it to those that are searched.

            EXAMPLES
              A keychain for one build:
                security create-keychain -p "$PASSWORD" build.keychain
            """
    )

    static let syntax = OptionSyntax(flags: ["P", "prompt"], valued: ["p", "password"])

    @Option(
        name: [.customShort("p"), .customLong("password")],
        help: "Its password. Other users can see it while the command runs; without it, it is asked for."
    )
    var password: String?

    @Flag(name: [.customShort("P"), .customLong("prompt")], help: "No effect: without -p the password is asked for.")
    var prompt = false

    @Argument(help: "Names or paths.", completion: .file())
    var keychains: [String]

    private static let call = "SecKeychainCreate"
    private static let longestPassword = 1024

    func run() throws {
        for name in keychains { try make(name) }
    }

    private func make(_ name: String) throws(Failure) {
        let title = "\(Self.call) \(TerminalText.escaped(name))"
        guard try NamedKeychain.known(name) == nil else { throw Failure(title, errSecDuplicateKeychain) }
        let folder = try NamedKeychain.folder(of: name)
        guard !FileManager.default.fileExists(atPath: folder) else { throw Failure(title, errSecDuplicateKeychain) }
        let password: Data =
            if let given = self.password {
                Data(given.utf8)
            } else {
                try PasswordPrompt.newPassword(
                    "password for new keychain: ",
                    again: "retype password for new keychain: "
                )
            }
        guard password.count <= Self.longestPassword else { throw Failure(title, errSecParam) }
        try KeychainFolder.make(folder, titled: title)
        let keychain = NamedKeychain.other(folder: folder)
        keychain.select()
        do throws(Failure) {
            let control = try KeychainControl(.create, name)
            var settings = try control.state().settings
            settings.locksOnSleep = false
            settings.timeout = nil
            _ = try control.change(settings, password: nil)
            if !password.isEmpty { try control.changePassword(from: nil, to: password) }
        } catch {
            // Half a keychain would have no password. The folder is this call's own: it was not there.
            try? KeychainFolder.delete(folder)
            CurrentKeychain.forget(.embedded(directory: folder))
            throw error
        }
    }
}
