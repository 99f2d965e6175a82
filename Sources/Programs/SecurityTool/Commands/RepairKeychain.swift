import ArgumentParser
import KeychainClient
import KeychainModel
import Terminal

struct RepairKeychain: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair-keychain",
        abstract: "Set damaged items aside and keep the rest. (Not on a Mac.)",
        discussion: """
            Nothing is deleted: damaged rows stay in the database, marked, and a damaged database stays beside the new \
            one. Other programs may go on using the keychain meanwhile.

            EXAMPLES
              Look first, then repair:
                security verify-keychain; security repair-keychain
            """
    )

    static let syntax = OptionSyntax()

    @OptionGroup var files: KeychainArguments

    func run() throws {
        try files.selectOne(for: "SecKeychainOpen")
        let report: RepairReport
        do throws(KeychainError) {
            report = try CurrentKeychain.maintenance().repair()
        } catch {
            throw Failure("nothing was repaired: " + TerminalText.escaped(error.message))
        }
        try Console.print(VerificationText.text(report))
    }
}
