import ArgumentParser
import EnclaveInterface
import Glibc
import KeychainModel
import Terminal

struct ChangeSettings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Say when the keychain locks itself, and when its keys are destroyed.",
        discussion: """
            What is not given stays as it is; without any option the settings are shown. To lock later than now the passcode \
            is asked for. With the system's service, the system authenticates you instead where there is no passcode, or an \
            unconfirmed one, and always before keys can be destroyed.

            EXAMPLES
              Five minutes after the last use:
                chatelaine settings --timeout 300
              Destroy the keys after ten wrong passcodes in a row:
                chatelaine settings --wipe-after 10
            """
    )

    @Flag(inversion: .prefixedNo, help: "Lock when the machine sleeps.")
    var lockOnSleep: Bool?

    @Option(help: ArgumentHelp("Lock so many seconds after the last use, or never.", valueName: "seconds"))
    var timeout: Limit?

    @Option(
        help: ArgumentHelp(
            "Destroy what the passcode protects after so many wrong ones in a row, or never.",
            valueName: "number"
        )
    )
    var wipeAfter: Limit?

    @OptionGroup var options: PasscodeOptions

    func run() throws {
        let control = try options.owner.controlMakingKeychain()
        let state = try control.state()
        var settings = state.settings
        if let lockOnSleep { settings.locksOnSleep = lockOnSleep }
        if let timeout { settings.timeout = timeout.number }
        if let wipeAfter { settings.wipesAfter = wipeAfter.number }
        guard settings != state.settings else { return Console.print(LockText(state: state).settingLines) }
        let isLaxer = settings.locksLater(than: state.settings)
        let wipesOtherwise = settings.wipesAfter != state.settings.wipesAfter
        guard geteuid() != 0, isLaxer || wipesOtherwise else { return try control.change(settings, passcode: nil) }
        if state.keepsProgramsApart, wipesOtherwise || !state.isPasscodeEnough {
            let token = try SystemAuthorization.ifNeeded(in: state, orAsRoot: "settings")?.token(for: .changeSettings)
            return try control.change(settings, passcode: nil, with: token)
        }
        let passcode = state.hasPasscode ? try options.questions.ask(for: "passcode") : nil
        try control.change(settings, passcode: passcode)
    }

    /// A number of at least one, or `never`.
    struct Limit: ExpressibleByArgument {
        let number: UInt32?

        init?(argument: String) {
            if argument == "never" {
                number = nil
            } else if let number = UInt32(argument), number > 0, number < .max {
                self.number = number
            } else {
                return nil
            }
        }
    }
}

extension LockText {
    fileprivate var settingLines: String {
        let limit = state.settings.wipesAfter.map { "after \($0) wrong passcodes in a row" } ?? "never"
        return "locks        \(settings)\ndestroys     \(limit)\n"
    }
}
