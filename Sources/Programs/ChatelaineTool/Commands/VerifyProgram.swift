import ArgumentParser
import CodeSignature
import Glibc
import KeychainModel
import Terminal

struct VerifyProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Say who has signed a program, and what it may do.",
        discussion: "Ends with 0 if a trusted team has signed it as it is, and with 1 otherwise."
    )

    @Argument(help: "An executable.")
    var program: String

    @OptionGroup var options: TeamsOptions

    func run() throws {
        let name = TerminalText.escaped(program)
        switch try SignatureVerifier(teams: options.teams).verdict(ofProgramAt: program) {
        case .unsigned: throw Failure("\(program) is not signed")
        case .tampered(let reason): throw Failure("the signature of \(program) is not accepted: \(reason.message)")
        case .signed(let signature):
            Console.print(
                "\(name) is signed by team \(signature.team) as \(TerminalText.escaped(signature.identifier)).\n"
            )
            Console.print("Access groups: \(signature.groups.map(TerminalText.escaped).joined(separator: ", "))\n")
        }
    }
}
