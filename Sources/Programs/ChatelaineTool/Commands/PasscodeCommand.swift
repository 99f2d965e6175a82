import ArgumentParser
import EnclaveInterface
import KeychainModel
import Terminal

struct PasscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passcode",
        abstract: "Set, change, remove, confirm or verify the passcode that a keychain is unlocked by.",
        discussion: """
            It is asked for on the terminal without being shown, or with --stdin read from standard input, one a line, \
            the old one first. Wrong ones have to be waited for, longer each time.

            With the system's service any program of yours can run this. So to set, remove or confirm a passcode the system \
            authenticates you first, by polkit or PAM; root sets yours with --uid, without that.

            EXAMPLES
              The first one:
                chatelaine passcode set
              In a script:
                printf '%s\\n' "$OLD" "$NEW" | chatelaine passcode change --stdin
            """,
        subcommands: [
            SetPasscode.self, ChangePasscode.self, RemovePasscode.self, ConfirmPasscode.self, VerifyPasscode.self,
        ]
    )
}

struct SetPasscode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set the first passcode.",
        discussion: """
            All items get new keys, which only the passcode opens; copies of the files from before it stay readable. It \
            cannot be recovered: whoever forgets it has lost what is in the keychain.
            """
    )

    @OptionGroup var options: PasscodeOptions

    func run() throws {
        let control = try options.owner.controlMakingKeychain()
        let state = try control.state()
        guard !state.hasPasscode else {
            throw Failure("there is a passcode already; change it with: chatelaine passcode change")
        }
        let authorization = try SystemAuthorization.ifNeeded(in: state)
        let passcode = try options.questions.askTwice(for: "new passcode")
        try control.changePasscode(from: nil, to: passcode, with: authorization?.token(for: .setPasscode))
        try options.owner.waitForNewKeys(of: control)
    }
}

struct ChangePasscode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Change the passcode.",
        discussion: """
            The items' keys stay as they are. A copy of the keychain's files from before still opens with the old passcode; \
            where somebody may have one, and knows it, run afterwards: chatelaine rotate-keys
            """
    )

    @OptionGroup var options: PasscodeOptions

    func run() throws {
        let control = try options.owner.control()
        try control.requirePasscode()
        let old = try options.questions.ask(for: "old passcode")
        // So that the person does not type a new one in vain.
        if !options.readsStandardInput { try control.verify(old) }
        try control.changePasscode(from: old, to: try options.questions.askTwice(for: "new passcode"))
    }
}

struct RemovePasscode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the passcode, and with it the items that need one to exist.",
        discussion:
            "After that, anybody with the disk can read the keychain, unless a TPM keeps the device key."
    )

    @OptionGroup var options: PasscodeOptions

    func run() throws {
        let control = try options.owner.control()
        let authorization = try SystemAuthorization.ifNeeded(in: control.requirePasscode(), orAsRoot: "passcode remove")
        if !options.readsStandardInput {
            Console.printError("Items that are there only with a passcode (WhenPasscodeSet) will be destroyed.\n")
        }
        let passcode = try options.questions.ask(for: "passcode")
        try control.changePasscode(from: passcode, to: nil, with: authorization?.token(for: .removePasscode))
        try options.owner.waitForNewKeys(of: control)
    }
}

struct ConfirmPasscode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "State that the passcode is yours.",
        discussion: """
            With the system's service, a passcode that was set before the system authenticated anybody for it may be any \
            program's. Until you confirm it, it does not authorize a backup, an export or new keys. The system authenticates you, \
            and the passcode is asked for. A log-in that unlocks the keychain confirms it too.
            """
    )

    @OptionGroup var options: PasscodeOptions

    func run() throws {
        let control = try options.owner.control()
        let state = try control.requirePasscode()
        guard state.keepsProgramsApart else {
            throw Failure("there is nothing to confirm: nothing keeps your programs apart here")
        }
        guard !state.isPasscodeConfirmed else { return }
        let authorization = try SystemAuthorization.ifNeeded(in: state, orAsRoot: "passcode confirm")
        let passcode = try options.questions.ask(for: "passcode")
        try control.confirmPasscode(passcode, with: authorization?.token(for: .confirmPasscode))
    }
}

struct VerifyPasscode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Say whether a passcode is the right one.",
        discussion: "Ends with 0 if it is. Nothing is locked or unlocked; a wrong passcode is counted."
    )

    @OptionGroup var options: PasscodeOptions

    func run() throws {
        let control = try options.owner.control()
        try control.requirePasscode()
        try control.verify(try options.questions.ask(for: "passcode"))
    }
}

extension EnclaveControl {
    /// - Throws: a failure where there is none, before the person is asked for it.
    @discardableResult
    func requirePasscode() throws -> EnclaveState {
        let state = try state()
        guard state.hasPasscode else { throw Failure("there is no passcode; set one with: chatelaine passcode set") }
        return state
    }
}
