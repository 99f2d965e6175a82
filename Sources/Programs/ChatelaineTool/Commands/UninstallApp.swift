import ArgumentParser
import CodeSignature
import Terminal

struct UninstallApp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall-app",
        abstract: "Remove a program's marker (root).",
        discussion: "Its items stay, for when it is installed again. The file stays as well."
    )

    @Argument(help: "An executable.")
    var program: String

    func run() throws {
        try ProgramInstaller.uninstall(program)
        Console.print("Uninstalled \(TerminalText.escaped(program)).\n")
    }
}
