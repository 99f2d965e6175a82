import ArgumentParser
import Foundation
import Terminal

/// The value of `-w`, which may be missing.
enum PasswordArgument: ExpressibleByArgument, CustomStringConvertible {
    case ask
    case value(String)

    init?(argument: String) {
        self = .value(argument)
    }

    // Shown by the help as what a missing value means; never the value itself.
    var description: String { "ask" }
}

/// Where the password of a new item comes from, and whom else it was for on a Mac.
struct PasswordOptions: ParsableArguments {
    @Option(
        name: [.customShort("w"), .long],
        defaultAsFlag: PasswordArgument.ask,
        parsing: .next,
        help: """
            The password. Other users can see it while the command runs; without a value, which is better, it is asked \
            for on the terminal, or read from a line of standard input.
            """
    )
    var password: PasswordArgument?

    @Option(name: [.customShort("X"), .long], help: "The password's bytes as hexadecimal digits.")
    var hex: String?

    @Flag(name: [.customShort("U"), .long], help: "Change the item if it exists.")
    var update = false

    @Flag(name: [.customShort("A"), .long], help: "No effect; accepted for scripts from a Mac.")
    var anyApplication = false

    @Option(name: [.customShort("T"), .long], help: "No effect; accepted for scripts from a Mac.")
    var trustedApplication: [String] = []

    static let syntax = OptionSyntax(
        flags: ["U", "update", "A", "any-application"],
        valued: ["X", "hex", "T", "trusted-application"],
        optional: ["w", "password"]
    )

    /// Takes the password from where the options say.
    ///
    /// - Parameter legacy: `-p` of `add-generic-password`.
    /// - Returns: nil if none was given.
    /// - Throws: if it was given twice, is no hexadecimal digits, or the person who was asked did not give it.
    func data(legacy: String? = nil) throws(Failure) -> Data? {
        guard [password != nil, hex != nil, legacy != nil].count(where: { $0 }) <= 1 else {
            throw Failure("give the password once", exitStatus: Console.usageStatus)
        }
        if let legacy { return Data(legacy.utf8) }
        if let hex {
            // Not repeated in the message: most of it may be the secret.
            guard let bytes = Hexadecimal.bytes(hex) else {
                throw Failure("-X takes pairs of hexadecimal digits", exitStatus: Console.usageStatus)
            }
            return Data(bytes)
        }
        switch password {
        case nil: return nil
        case .ask: return try PasswordPrompt.newPassword()
        case .value(let text): return Data(text.utf8)
        }
    }
}
