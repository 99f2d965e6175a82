import ArgumentParser
import KeychainModel
import SSHAgentProtocol

struct DeleteKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an ssh key with its certificates. A key of the Secure Enclave is gone for good.",
        discussion: "The owner of the keychain confirms it for a key of the enclave, and for one that asks at each use."
    )

    @Argument(help: "The key's fingerprint, or its comment.")
    var key: String

    @Flag(help: "Delete the key's certificates alone.")
    var certificates = false

    func run() throws {
        let key = try KeySelection.key(key)
        if certificates {
            return try AgentKeychain.deleteCertificates(of: key)
        }
        if key.stored.isInEnclave || key.stored.asksOwner { try Self.confirm(key) }
        try AgentKeychain.delete(key)
    }

    /// What has no copy, or is not used without its owner, is not destroyed without them. Without a passcode there is
    /// nothing to ask for.
    private static func confirm(_ key: KeptKey) throws(KeychainError) {
        guard try AgentKeychain.hasPasscode() else { return }
        let comment = key.stored.comment.text
        let name = comment.isEmpty ? key.stored.publicKey.fingerprint : SigningOrder.cut(comment)
        let signer = try KeySigner(reason: "delete the ssh key \(name) for good")
        defer { signer.context?.invalidate() }
        try signer.confirm()
    }
}
