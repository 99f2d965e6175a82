import ArgumentParser
import CLinux
import Glibc
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
        var noCore = rlimit()
        guard unsafe setrlimit(__rlimit_resource_t(4), &noCore) == 0 else {
            throw Failure("core files cannot be turned off: \(AgentServer.reason)")
        }
        // The session's service has to look into its clients itself; the machine's has somebody who may.
        if case .service(let address) = try KeychainLocation.current(), address.kind == .system {
            let failure = clinux_harden()
            guard failure == 0 else {
                throw Failure("the agent cannot be guarded: \(unsafe String(cString: strerror(failure)))")
            }
        }
        let handedOver = socket == nil ? try AgentSocket.handedOver() : nil
        let listener = try handedOver ?? AgentSocket.make(at: socket ?? AgentSocket.standardPath)
        try AgentServer(listener: listener).run()
    }
}
