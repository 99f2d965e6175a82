import ArgumentParser
import KeychainEnclave

struct LockKeychain: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock-keychain",
        abstract: "Lock the keychain.",
        discussion: """
            A keychain without a password is never locked: see set-keychain-password.

            EXAMPLES
              security lock-keychain
            """
    )

    static let syntax = OptionSyntax(flags: ["a", "all"])

    @Flag(name: [.customShort("a"), .customLong("all")], help: "All keychains; there is one.")
    var isAll = false

    @OptionGroup var files: KeychainArguments

    func run() throws {
        try files.check()
        let control = try KeychainControl(.lock, files.keychains.first)
        guard try control.state().hasPasscode else {
            throw Failure("the keychain has no password, and is not locked; set one with set-keychain-password")
        }
        try control.lock()
    }
}
