import ArgumentParser
import Foundation
import Testing

@testable import SecurityTool

/// The part of `--experimental-dump-help` that names options.
private struct Help: Decodable {
    struct Command: Decodable {
        let commandName: String
        var arguments: [Argument]?
        var subcommands: [Command]?
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let name: String
        }

        let kind: String
        var names: [Name]?
    }

    let command: Command
}

@Test(arguments: SecurityCommand.commands.map { $0.configuration.commandName ?? "" })
func `the options that a command reads are those that it declares`(_ name: String) throws {
    let syntax = try #require(SecurityCommand.commands.first { $0.configuration.commandName == name }).syntax
    let help = try JSONDecoder().decode(Help.self, from: Data(SecurityCommand._dumpHelp().utf8))
    let command = try #require(help.command.subcommands?.first { $0.commandName == name })
    func names(_ kind: String) -> Set<String> {
        Set((command.arguments ?? []).filter { $0.kind == kind }.flatMap { ($0.names ?? []).map(\.name) })
            .subtracting(["h", "help", "version"])
    }
    #expect(names("flag") == syntax.flags)
    #expect(names("option") == syntax.valued.union(syntax.optional))
}

@Test
func `all commands can be found by name`() {
    let declared = SecurityCommand.configuration.groupedSubcommands.flatMap(\.subcommands)
    #expect(Set(declared.map { $0._commandName }) == Set(SecurityCommand.commands.map { $0._commandName }))
}

@Test(arguments: [
    (["-wa", "alice"], ["-w", "a", "alice"]),
    (["-Ua", "alice"], ["-U", "-a", "alice"]),
    (["-aalice"], ["-a", "alice"]),
    (["-a=alice"], ["-a", "=alice"]),
    (["-a", "-U"], ["-a=-U"]),
    (["-a", ""], ["-a", ""]),
    (["-w"], ["-w"]),
    (["-w", "-U"], ["-w", "-U"]),
    (["-w", "--update"], ["-w", "--update"]),
    (["-w", "--"], ["-w", "--"]),
    (["-w", "-x1!Q"], ["-w=-x1!Q"]),
    (["-w", ""], ["-w", ""]),
    (["-w", "\u{338}x"], ["-w", "\u{338}x"]),
    (["--password", "a=b"], ["--password", "a=b"]),
    (["--password=-x"], ["--password=-x"]),
    (["--", "-w", "x"], ["--", "-w", "x"]),
])
func `options are read as on a Mac`(typed: [String], normalized: [String]) {
    #expect(GetoptReader.normalized(typed, as: AddGenericPassword.syntax) == normalized)
}
