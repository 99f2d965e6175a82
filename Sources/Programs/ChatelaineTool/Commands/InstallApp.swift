import ArgumentParser
import CodeSignature
import Glibc
import KeychainAccounts
import Terminal

struct InstallApp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install-app",
        abstract: "Mark a signed program, so that its items are its own (root).",
        discussion: """
            The program has to lie where only root can write, signed by a trusted team. It gets the marker group, so that \
            the kernel vouches for how it is started.

            With --from, a new version is put in its place: the file of before loses its marker first, so that nobody who has \
            it open can still start it as the installed program. Packages that replace the file themselves have to take the \
            marker away before (chatelaine uninstall-app), and install the program again afterwards.
            """
    )

    @Argument(help: "An executable.")
    var program: String

    @Option(help: ArgumentHelp("A new version, to be put in the program's place.", valueName: "file"))
    var from: String?

    @Option(help: "The marker group: a name or a number.")
    var markerGroup = ProgramInstaller.standardGroup

    @OptionGroup var options: TeamsOptions

    func run() throws {
        let verifier = SignatureVerifier(teams: TrustedTeams(directory: options.directory, owner: .root))
        let group = try group()
        let signature =
            if let from {
                try ProgramInstaller.install(program, from: from, markerGroup: group, verifier: verifier)
            } else {
                try ProgramInstaller.install(program, markerGroup: group, verifier: verifier)
            }
        Console.print("Installed \(TerminalText.escaped(program)) as \(TerminalText.escaped(signature.identifier)).\n")
    }

    private func group() throws -> UInt32 {
        if let number = UInt32(markerGroup) { return number }
        guard let gid = GroupAccount.gid(named: markerGroup) else {
            throw Failure("there is no group \(markerGroup); make it: addgroup --system \(markerGroup)")
        }
        return gid
    }
}
