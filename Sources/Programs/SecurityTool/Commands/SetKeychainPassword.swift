import ArgumentParser
import EnclaveInterface
import Foundation

struct SetKeychainPassword: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-keychain-password",
        abstract: "Set or change the password that the keychain is unlocked by.",
        discussion: """
            Here a keychain has none until one is set; then there is no old one to give. With the system's service, the first \
            one is set by: chatelaine passcode set. Standard input that is no terminal \
            is read instead of asking: the old password if there is one, the new one, and, if there is a third line, the \
            new one again.

            EXAMPLES
              security set-keychain-password
            """
    )

    static let syntax = OptionSyntax(valued: ["o", "old", "p", "new"])

    @Option(name: [.customShort("o"), .customLong("old")], help: "The old password. Other users can see it meanwhile.")
    var old: String?

    @Option(name: [.customShort("p"), .customLong("new")], help: "The new password. Other users can see it meanwhile.")
    var new: String?

    @OptionGroup var files: KeychainArguments

    func run() throws {
        try files.selectOne(for: KeychainControl.Call.changePassword.rawValue)
        let control = try KeychainControl(.changePassword, files.keychains.first)
        let state = try control.state()
        if !state.hasPasscode { try control.checkThatFirstPasswordCanBeSet(in: state) }
        let oldPassword: Data? =
            if !state.hasPasscode {
                nil
            } else {
                try old.map { Data($0.utf8) } ?? PasswordPrompt.password("Old Password: ")
            }
        let newPassword =
            try new.map { Data($0.utf8) }
            ?? PasswordPrompt.newPassword("New Password: ", again: "Retype New Password: ")
        try control.changePassword(from: oldPassword, to: newPassword)
    }
}
