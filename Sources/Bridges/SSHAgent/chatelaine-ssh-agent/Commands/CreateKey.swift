import ArgumentParser
import SSHAgentProtocol

struct CreateKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a key in the Secure Enclave, and print its public half.",
        discussion: """
            The private key never leaves the enclave: in a TPM, where the keychain has one. Each use asks you for the \
            keychain's passcode or a finger, and says what for.
            """
    )

    @Option(help: ArgumentHelp("What the key is called, in lists and on servers.", valueName: "text"))
    var comment = ""

    @Flag(help: "Use the key without asking. It is refused to other machines (ssh -A) then.")
    var noPresence = false

    @Flag(help: "Use the key also while the keychain is locked, after it was unlocked once.")
    var whileLocked = false

    func run() throws {
        let comment = try CommentOption.checked(comment)
        let protection = KeyProtection(asksOwner: !noPresence, worksWhileLocked: whileLocked)
        let key = try AgentKeychain.create(comment: SSHComment(text: comment), protection)
        try AgentTool.print(key.line + (comment.isEmpty ? "" : " " + comment))
        if protection.asksOwner { PresenceAdvice.give() }
    }
}

/// What a comment may be: it stands on one line of files that ssh reads.
enum CommentOption {
    static func checked(_ text: String) throws -> String {
        guard text.utf8.count <= 256, !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw ValidationError("a comment has at most 256 bytes, on one line")
        }
        return text
    }
}

/// Says what a key that asks cannot do without.
enum PresenceAdvice {
    static func give() {
        guard (try? AgentKeychain.hasPasscode()) == false else { return }
        AgentTool.complain(
            "the keychain has no passcode to tell its owner by; the key cannot be used before there is one: "
                + "chatelaine passcode set"
        )
    }
}
