import ArgumentParser
import CodeSignature
import Terminal

struct RevokeTeam: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "End the trust in a team (root).",
        discussion: """
            Its programs are refused from their next connection on. Their items stay. A revoked team cannot be trusted \
            again, unless its file is removed from the folder of trusted teams.
            """
    )

    @Argument(help: "The team's identifier.")
    var team: TeamArgument

    @OptionGroup var options: TeamsOptions

    func run() throws {
        try options.teams.revoke(team.team)
        Console.print("Revoked team \(team.team).\n")
    }
}
