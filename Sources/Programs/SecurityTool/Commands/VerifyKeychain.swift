import ArgumentParser
import KeychainClient
import KeychainModel
import Terminal

struct VerifyKeychain: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-keychain",
        abstract: "Check whether the keychain is damaged. (Not on a Mac.)",
        discussion: """
            Nothing is changed, and nothing of what is in items is printed: rows are named by class, identifier and \
            access group. Ends with 0 if all is well and with 1 if anything is not.

            EXAMPLES
              What is wrong, and what to do:
                security verify-keychain
              In a script:
                security verify-keychain >/dev/null || security repair-keychain
            """
    )

    static let syntax = OptionSyntax(flags: ["json"])

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var files: KeychainArguments

    func run() throws {
        try files.selectOne(for: "SecKeychainOpen")
        let report: VerificationReport
        do throws(KeychainError) {
            report = try CurrentKeychain.maintenance().verify()
        } catch {
            throw Failure(TerminalText.escaped(error.message))
        }
        try Console.print(json ? VerificationText.json(report).text() + "\n" : VerificationText.text(report))
        if !report.isWhole { throw Failure("") }
    }
}
