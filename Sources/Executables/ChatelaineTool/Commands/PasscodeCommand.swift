import ArgumentParser
import KeychainEnclave
import KeychainModel
import SecretInput

struct PasscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passcode",
        abstract: "Set, change, remove or verify the passcode that a keychain is unlocked by.",
        discussion: """
            It is asked for on the terminal without being shown, or with --stdin read from standard input, one a line, \
            the old one first. Wrong ones have to be waited for, longer each time.

            EXAMPLES
              The first one:
                chatelaine passcode set
              In a script:
                printf '%s\\n' "$OLD" "$NEW" | chatelaine passcode change --stdin
            """,
        subcommands: [SetPasscode.self, ChangePasscode.self, RemovePasscode.self, VerifyPasscode.self]
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
        guard try !control.state().hasPasscode else {
            throw Failure("there is a passcode already; change it with: chatelaine passcode change")
        }
        try control.changePasscode(from: nil, to: try options.questions.askTwice(for: "new passcode"))
        try RotationProgress(of: control).wait()
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
        // So that nobody types a new one for nothing.
        if !options.readsStandardInput { try control.verify(old) }
        try control.changePasscode(from: old, to: try options.questions.askTwice(for: "new passcode"))
    }
}

struct RemovePasscode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take the passcode away, and with it the items that are there only with one.",
        discussion:
            "After that, whoever has the disk can read what is in the keychain, unless a TPM keeps the device's key."
    )

    @OptionGroup var options: PasscodeOptions

    func run() throws {
        let control = try options.owner.control()
        try control.requirePasscode()
        if !options.readsStandardInput {
            Console.printError("Items that are there only with a passcode (WhenPasscodeSet) will be destroyed.\n")
        }
        try control.changePasscode(from: try options.questions.ask(for: "passcode"), to: nil)
        try RotationProgress(of: control).wait()
    }
}

struct VerifyPasscode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Say whether a passcode is the right one.",
        discussion: "Ends with 0 if it is. Nothing is locked or unlocked; a wrong one counts as everywhere."
    )

    @OptionGroup var options: PasscodeOptions

    func run() throws {
        let control = try options.owner.control()
        try control.requirePasscode()
        try control.verify(try options.questions.ask(for: "passcode"))
    }
}

extension EnclaveControl {
    /// - Throws: a failure where there is none, before anybody is asked for it.
    func requirePasscode() throws {
        guard try state().hasPasscode else {
            throw Failure("there is no passcode; set one with: chatelaine passcode set")
        }
    }
}
