import ArgumentParser
import EnclaveInterface
import Foundation
import Security
import Terminal

struct UnlockKeychain: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock-keychain",
        abstract: "Unlock the keychain.",
        discussion: """
            EXAMPLES
              Ask for the password on the terminal:
                security unlock-keychain
              In a script, from standard input:
                printf '%s\\n' "$PASSWORD" | security unlock-keychain
            """
    )

    static let syntax = OptionSyntax(flags: ["u", "unused"], valued: ["p", "password"])

    @Option(
        name: [.customShort("p"), .customLong("password")],
        help:
            "The password. Other users can see it while the command runs; without it, which is better, it is asked for."
    )
    var password: String?

    @Flag(
        name: [.customShort("u"), .customLong("unused")],
        help: "Use no password; that unlocks only what needs none."
    )
    var usesNoPassword = false

    @OptionGroup var files: KeychainArguments

    func run() throws {
        try files.selectOne(for: KeychainControl.Call.unlock.rawValue)
        let control = try KeychainControl(.unlock, files.keychains.first)
        guard try control.state().hasPasscode else { return }
        if usesNoPassword {
            guard try control.state().lock == .unlocked else { throw control.refusal(errSecInteractionNotAllowed) }
            return
        }
        let name = files.keychains.first ?? "default"
        try control.unlock(
            try password.map { Data($0.utf8) }
                ?? PasswordPrompt.password("password to unlock \(TerminalText.escaped(name)): ")
        )
    }
}
