import ArgumentParser

struct TeamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "team",
        abstract: "Make teams, and say which ones are trusted.",
        subcommands: [NewTeam.self, TrustTeam.self, ListTeams.self, RevokeTeam.self]
    )
}
