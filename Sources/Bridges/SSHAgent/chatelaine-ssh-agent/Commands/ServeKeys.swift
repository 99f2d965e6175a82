import ArgumentParser
import KeychainClient

struct ServeKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Be the agent, until it is stopped.",
        discussion: """
            It listens where systemd has opened a socket for it, or at --socket. Programs find it by SSH_AUTH_SOCK.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Where to listen; $XDG_RUNTIME_DIR/chatelaine/ssh.sock, if not said otherwise.",
            valueName: "path"
        )
    )
    var socket: String?

    func run() throws {
        try GuardedProcess.enter()
        let handedOver = socket == nil ? try AgentSocket.handedOver() : nil
        let listener = try handedOver ?? AgentSocket.make(at: socket ?? AgentSocket.standardPath)
        try AgentServer(listener: listener).run()
    }
}
