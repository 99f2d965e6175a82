import ArgumentParser
import CodeSignature
import Terminal

struct TrustTeam: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Trust a team on this machine (root).",
        discussion: """
            From then on, programs that the team signs have the access groups that begin with its identifier. Compare the \
            fingerprint with what the team says it is.
            """
    )

    @Argument(help: "The team's certificate, as PEM.")
    var certificate: String

    @OptionGroup var options: TeamsOptions

    func run() throws {
        let certificate = try TeamCertificate(contentsOf: certificate)
        try options.teams.add(certificate)
        Console.print("Trusting team \(certificate.team), \(TerminalText.escaped(certificate.name)).\n")
        Console.print("Its certificate has the fingerprint \(certificate.fingerprint).\n")
    }
}
