import ArgumentParser
import KeychainModel
import SSHAgentProtocol

struct ImportKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Store a private key of a file in the keychain.",
        discussion: """
            Your own ssh-add reads the file, asks for its passphrase, and hands the key over in memory: every kind of file \
            that it reads can be imported, and nothing is written to the disk in the clear. The file stays where it is.
            """
    )

    @Argument(help: "A file with a private key, such as ~/.ssh/id_ed25519.")
    var file: String

    @Option(
        help: ArgumentHelp("What the key is called; the file's own comment, if not said otherwise.", valueName: "text")
    )
    var comment: String?

    @Flag(help: "Ask at each use.")
    var presence = false

    @Flag(help: "Use the key also while the keychain is locked, after it was unlocked once.")
    var whileLocked = false

    func run() throws {
        let comment = try comment.map(CommentOption.checked)
        let new = try KeyHandover.take(from: file)
        let name = comment ?? (try? CommentOption.checked(new.comment)) ?? ""
        let protection = KeyProtection(asksOwner: presence, worksWhileLocked: whileLocked)
        do throws(KeychainError) {
            try AgentKeychain.store(new.key, comment: name, protection)
        } catch {
            throw error.code == .duplicateItem ? Failure("the keychain has this key already") : error
        }
        try AgentTool.print(new.key.publicKey.plain.line + (name.isEmpty ? "" : " " + name))
        if presence { PresenceAdvice.give() }
    }
}
