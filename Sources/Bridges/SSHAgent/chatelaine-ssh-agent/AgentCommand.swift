import ArgumentParser
import KeychainModel

/// The root of the commands: what `chatelaine ssh --help` shows.
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chatelaine-ssh-agent",
        abstract: "Keep ssh keys in the keychain, and serve them to ssh, git and whatever speaks to an ssh agent.",
        discussion: """
            EXAMPLES
              A key in the Secure Enclave, which asks you at each use:
                chatelaine ssh create --comment "me on this laptop"
              What a server's authorized_keys needs:
                chatelaine ssh export
              Have ssh and git use the agent from the next log-in on:
                chatelaine ssh enable

            EXIT STATUS
              0  done
              1  not done: the message says why
              2  the command line is not understood
            """,
        version: "chatelaine \(ProductVersion.current)",
        subcommands: [
            ServeKeys.self, CreateKey.self, ListKeys.self, ExportKey.self, ImportKey.self, DeleteKey.self,
            EnableAgent.self, DisableAgent.self, ShowAgent.self,
        ]
    )
}
