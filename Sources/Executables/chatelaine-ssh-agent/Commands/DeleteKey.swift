import ArgumentParser

struct DeleteKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an ssh key from the keychain. A key of the Secure Enclave is gone for good."
    )

    @Argument(help: "The key's fingerprint, or its comment.")
    var key: String

    func run() throws {
        try AgentKeychain.delete(KeySelection.key(key))
    }
}
