import ArgumentParser
import CodeSignature
import Foundation
import Terminal

struct NewTeam: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a team: a private key and a certificate.",
        discussion: """
            The key file signs programs in the team's name. Keep it to yourself. The certificate alone, for those who \
            are to trust the team, is what --certificate writes; chatelaine team trust also takes it from the key file.
            """
    )

    @Argument(help: "Capital letters and digits, at most 32. Apple's are ten.")
    var team: TeamArgument

    @Option(name: [.long, .customShort("o")], help: "Where the key goes. An existing file is not overwritten.")
    var out: String

    @Option(help: "Where the certificate goes as well, for others.")
    var certificate: String?

    @Option(help: "The team's name, for people to read.")
    var name: String?

    @Option(help: "For how many days it can sign.")
    var days = 3650

    func run() throws {
        let key = try TeamKey(new: team.team, name: name, days: days)
        try key.write(to: out)
        if let certificate { try key.certificate.write(to: certificate) }
        Console.print("Made team \(key.team). Its certificate has the fingerprint \(key.certificate.fingerprint).\n")
    }
}
