import ArgumentParser
import CodeSignature
import Glibc

/// Which folder of trusted teams a command means.
struct TeamsOptions: ParsableArguments {
    @Option(name: .customLong("teams"), help: "The folder of trusted teams.")
    var directory = TrustedTeams.standardDirectory

    /// In a folder of one's own, one's own word counts: it is for trying out, and for the daemon of a session.
    var teams: TrustedTeams {
        TrustedTeams(directory: directory, owner: directory == TrustedTeams.standardDirectory ? .root : .rootOrOneself)
    }
}

/// A team's identifier on the command line.
struct TeamArgument: ExpressibleByArgument {
    let team: TeamIdentifier

    init?(argument: String) {
        guard let team = TeamIdentifier(argument) else { return nil }
        self.team = team
    }
}
