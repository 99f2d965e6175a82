import ArgumentParser
import Glibc
import KeychainSystem
import SSHAgentProtocol
import Terminal

struct ExportKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print public keys, as authorized_keys has them.",
        discussion: """
            Without a key it prints all. With --git it prints one in the form that git takes:
              git config --global gpg.format ssh
              git config --global gpg.ssh.defaultKeyCommand "chatelaine ssh export --git"
            With --file it writes one to a file, for IdentityFile in ssh_config, with IdentitiesOnly.
            """
    )

    @Argument(help: "The key's fingerprint, or its comment.")
    var key: String?

    @Flag(help: "Print one key as git's gpg.ssh.defaultKeyCommand wants it; the oldest, if none is named.")
    var git = false

    @Option(help: ArgumentHelp("Write one key to a new file, such as ~/.ssh/laptop.pub.", valueName: "path"))
    var file: String?

    func validate() throws {
        guard !git || file == nil else { throw ValidationError("--git and --file exclude each other") }
    }

    func run() throws {
        if git {
            guard let chosen = try key.map(KeySelection.key) ?? KeySelection.storedKeys().keys.first else {
                throw Failure("there is no ssh key in the keychain")
            }
            return try AgentTool.print("key::" + chosen.stored.publicKey.line)
        }
        if let file { return try write(KeySelection.key(key).line + "\n", to: file) }
        let keys = try key.map { [try KeySelection.key($0)] } ?? KeySelection.storedKeys().keys
        for key in keys { try AgentTool.print(key.line) }
    }

    private func write(_ text: String, to path: String) throws {
        do throws(SystemError) {
            let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
            try file.write(Array(text.utf8))
        } catch {
            throw Failure("\(path) cannot be made: \(error.reason)")
        }
    }
}
