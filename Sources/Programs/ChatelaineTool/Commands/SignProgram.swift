import ArgumentParser
import CodeSignature
import Foundation
import Terminal

struct SignProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a program with its entitlements.",
        discussion: """
            The entitlements are the XML property list that Xcode keeps: keychain-access-groups, application-identifier. \
            What Xcode fills in is filled in: $(AppIdentifierPrefix), the team's identifier, and \
            application-identifier where there is none. Sign last: strip and patchelf break a signature.
            """
    )

    @Option(name: .customLong("team"), help: "The team's key, as chatelaine team new made it.")
    var key: String

    @Option(help: "The entitlements, an XML property list.")
    var entitlements: String

    @Option(help: "The bundle identifier, if the entitlements name none. (default: the program's name)")
    var identifier: String?

    @Argument(help: "An executable.")
    var program: String

    func run() throws {
        let key = try TeamKey(contentsOf: key)
        let list = try EntitlementsTemplate.complete(
            SmallFile.read(entitlements),
            team: key.team,
            identifier: identifier ?? URL(filePath: program).lastPathComponent
        )
        let identifier = try ProgramSigner.sign(program, entitlements: list, with: key)
        Console.print("Signed \(TerminalText.escaped(program)) as \(TerminalText.escaped(identifier)).\n")
    }
}
