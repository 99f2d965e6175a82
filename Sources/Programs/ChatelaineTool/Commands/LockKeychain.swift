import ArgumentParser
import EnclaveInterface
import KeychainModel
import Terminal

struct LockKeychain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Lock the keychain.",
        discussion: """
            When it returns, no item can be read any more that is to be read only while the keychain is unlocked. Items for \
            background programs (AfterFirstUnlock) stay readable, except with --log-out.
            """
    )

    @Flag(help: "As after a restart of the machine: only items that are always readable stay so.")
    var logOut = false

    @OptionGroup var owner: OwnerOptions

    func run() throws {
        let control = try owner.control()
        guard try control.state().hasPasscode else {
            throw Failure("a keychain without a passcode cannot be locked; set one with: chatelaine passcode set")
        }
        try logOut ? control.logOut() : control.lock()
    }
}

struct UnlockKeychain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Unlock the keychain.",
        discussion: """
            EXAMPLES
              chatelaine unlock
              printf '%s\\n' "$PASSCODE" | chatelaine unlock --stdin
            """
    )

    @OptionGroup var options: PasscodeOptions

    func run() throws {
        let control = try options.owner.control()
        let state = try control.state()
        // Without a passcode it is never locked, and no passcode is asked for.
        guard state.hasPasscode, state.lock != .unlocked else { return }
        try control.unlock(try options.questions.ask(for: "passcode"))
    }
}
