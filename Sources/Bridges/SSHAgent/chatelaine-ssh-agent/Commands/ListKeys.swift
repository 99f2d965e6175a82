import ArgumentParser

struct ListKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the ssh keys in the keychain: fingerprint, kind, place and comment.",
        discussion: "What ssh-add has added is in the agent's memory alone: ssh-add -l shows both."
    )

    func run() throws {
        let found = try KeySelection.storedKeys()
        for key in found.keys {
            try AgentTool.print(key.description)
            for certificate in found.certificates(of: key) { try AgentTool.print(certificate.description) }
        }
    }
}
