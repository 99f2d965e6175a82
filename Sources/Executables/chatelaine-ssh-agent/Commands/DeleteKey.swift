import ArgumentParser

struct DeleteKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an ssh key with its certificates. A key of the Secure Enclave is gone for good."
    )

    @Argument(help: "The key's fingerprint, or its comment.")
    var key: String

    @Flag(help: "Delete the key's certificates alone.")
    var certificates = false

    func run() throws {
        let key = try KeySelection.key(key)
        if certificates {
            try AgentKeychain.deleteCertificates(of: key)
        } else {
            try AgentKeychain.delete(key)
        }
    }
}
