import ArgumentParser
import CodeSignature
import Terminal

struct ShowEntitlements: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "entitlements",
        abstract: "Print the entitlements that a program was signed with.",
        discussion: """
            They are printed as they stand there, whether the signature is worth anything or not: chatelaine verify says that.
            """
    )

    @Argument(help: "An executable.")
    var program: String

    func run() throws {
        let text = String(decoding: try ProgramSigner.entitlements(of: program), as: UTF8.self)
        Console.print(TerminalText.escapedLines(text.replacing("\t", with: "    ")))
        if !text.hasSuffix("\n") { Console.print("\n") }
    }
}
