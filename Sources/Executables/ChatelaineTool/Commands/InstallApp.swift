import ArgumentParser
import CodeSignature
import Glibc
import TerminalText

struct InstallApp: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install-app",
        abstract: "Mark a signed program, so that its items are its own (root).",
        discussion: """
            The program has to lie where only root can write, signed by a trusted team. It gets the marker group, so that \
            the kernel vouches for how it is started. After an update of the program, install it again.
            """
    )

    @Argument(help: "An executable.")
    var program: String

    @Option(help: "The marker group: a name or a number.")
    var markerGroup = ProgramInstaller.standardGroup

    @OptionGroup var options: TeamsOptions

    func run() throws {
        let verifier = SignatureVerifier(teams: TrustedTeams(directory: options.directory, owner: .root))
        let signature = try ProgramInstaller.install(program, markerGroup: group(), verifier: verifier)
        Console.print("Installed \(TerminalText.escaped(program)) as \(TerminalText.escaped(signature.identifier)).\n")
    }

    private func group() throws -> UInt32 {
        if let number = UInt32(markerGroup) { return number }
        guard let entry = unsafe getgrnam(markerGroup) else {
            throw Failure("there is no group \(markerGroup); make it: addgroup --system \(markerGroup)")
        }
        return unsafe entry.pointee.gr_gid
    }
}
