import ArgumentParser
import KeychainModel
import SSHAgentProtocol
import Terminal

struct ImportKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Store a private key of a file in the keychain.",
        discussion: """
            Your own ssh-add reads the file, asks for its passphrase, and hands the key over in memory: every kind of file \
            that it reads can be imported, and nothing is written to the disk in the clear. The file stays where it is. A \
            certificate beside it is stored too.

            A file whose name ends in -cert.pub is a certificate of a key that the keychain has. It takes the place of \
            an older one by the same authority.
            """
    )

    @Argument(help: "A file with a private key, such as ~/.ssh/id_ed25519, or one with a certificate.")
    var file: String

    @Option(
        help: ArgumentHelp("What the key is called; the file's own comment, if not said otherwise.", valueName: "text")
    )
    var comment: String?

    @Flag(help: "Ask at each use.")
    var presence = false

    @Flag(help: "Use the key also while the keychain is locked, after it was unlocked once.")
    var whileLocked = false

    func validate() throws {
        guard !isCertificate || !(presence || whileLocked) else {
            throw ValidationError("a certificate is used as its key is, without --presence and --while-locked")
        }
    }

    private var isCertificate: Bool { file.hasSuffix("-cert.pub") }

    func run() throws {
        let comment = try comment.map(CommentOption.checked).map { SSHComment(text: $0) }
        if isCertificate {
            let (key, text) = try CertificateFile.read(file)
            return try store(key, comment ?? text)
        }
        let (new, certificates) = try KeyHandover.take(from: file)
        let name = comment ?? new.comment
        let protection = KeyProtection(asksOwner: presence, worksWhileLocked: whileLocked)
        do throws(KeychainError) {
            try AgentKeychain.store(new.key, comment: name, protection)
        } catch {
            throw error.code == .duplicateItem ? Failure("the keychain has this key already") : error
        }
        try AgentTool.print(new.key.publicKey.plain.line + Self.behind(name))
        if presence { PresenceAdvice.give() }
        for certificate in certificates { try store(certificate, name) }
    }

    private static func behind(_ comment: SSHComment) -> String {
        comment.isEmpty ? "" : " " + TerminalText.escaped(comment.text)
    }

    private func store(_ certificate: SSHPublicKey, _ comment: SSHComment) throws {
        do {
            try AgentKeychain.store(certificate: certificate, comment: comment)
        } catch let error as KeychainError where error.code == .duplicateItem {
            throw Failure("the keychain has this certificate already")
        }
        try AgentTool.print(certificate.line + Self.behind(comment))
    }
}
