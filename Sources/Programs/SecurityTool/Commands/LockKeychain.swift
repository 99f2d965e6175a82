import ArgumentParser
import EnclaveInterface
import Terminal

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

    @Flag(name: [.customShort("a"), .customLong("all")], help: "All keychains of list-keychains.")
    var isAll = false

    @OptionGroup var files: KeychainArguments

    func run() throws {
        if isAll { return try lockAll() }
        try files.selectOne(for: KeychainControl.Call.lock.rawValue)
        let control = try KeychainControl(.lock, files.keychains.first)
        guard try control.state().hasPasscode else {
            throw Failure("the keychain has no password, and is not locked; set one with set-keychain-password")
        }
        try control.lock()
    }

    private func lockAll() throws(Failure) {
        let listed = try files.searched(for: KeychainControl.Call.lock.rawValue)
        var failure: Failure?
        for keychain in listed.contains(.login) ? listed : listed + [.login] where keychain != .anchors {
            keychain.select()
            do throws(Failure) {
                let control = try KeychainControl(.lock, nil)
                if try control.state().hasPasscode { try control.lock() }
            } catch {
                // The others are locked anyway.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}
