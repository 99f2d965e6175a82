import ArgumentParser

/// Logging in without a password: a key in the Secure Enclave signs a server's challenge once its owner has put a finger on
/// the reader, or typed the keychain's passcode.
@main
struct FingerLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finger-login",
        abstract: "Log in with a finger: a server and its client.",
        subcommands: [Invite.self, Serve.self, Enrol.self, LogIn.self, Forget.self, Demo.self]
    )
}

/// Which server, and who there.
struct AccountOptions: ParsableArguments {
    @Option(help: "The server: https://HOST[:PORT], or http for this machine alone.")
    var server: Origin

    @Option(help: "The name there: 1 to 64 of a to z, 0 to 9, “.”, “_”, “-”.")
    var user: UserName

    var client: LoginClient { LoginClient(origin: server, user: user) }
}

extension Origin: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

extension UserName: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

extension LoginKey.Demand: EnumerableFlag {
    static let allCases: [Self] = [.fingerOrPasscode, .fingerOnly, .passcodeOnly]

    static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .fingerOrPasscode: "The key asks for a finger or the passcode."
        case .fingerOnly: "The key asks for a finger, and for nothing else."
        case .passcodeOnly: "The key asks for the passcode."
        }
    }
}
