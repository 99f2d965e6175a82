import ArgumentParser
import CodeSignature
import Foundation
import Terminal

struct ListTeams: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the teams that are trusted, and those that were revoked."
    )

    @OptionGroup var options: TeamsOptions

    func run() throws {
        let entries = try options.teams.list()
        for entry in entries { Console.print(Self.line(entry) + "\n") }
        if entries.isEmpty { Console.print("No team is trusted.\n") }
    }

    private static func line(_ entry: TeamFolder.Entry) -> String {
        let team = entry.team.map(\.description) ?? TerminalText.escaped(entry.file)
        switch entry.state {
        case .trusted(let certificate):
            let end = certificate.validity.upperBound.formatted(.iso8601.year().month().day())
            return "\(team)  trusted, signs until \(end), \(TerminalText.escaped(certificate.name)), "
                + certificate.fingerprint
        case .revoked: return "\(team)  revoked"
        case .unusable(let reason): return "\(team)  not trusted: \(TerminalText.escaped(reason))"
        }
    }
}
