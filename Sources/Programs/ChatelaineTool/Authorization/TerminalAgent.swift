import Glibc
import KeychainSystem

/// polkit's agent for a terminal, which asks the person who typed the command.
///
/// pkexec has one within, which polkitd refuses ("No session for cookie", as in polkit 122): pkexec is root when it registers
/// it, and what checks the password is not. So pkexec is started with `--disable-internal-agent`, and this one before.
struct TerminalAgent: ~Copyable {
    private static let program = "/usr/bin/pkttyagent"

    private let process: pid_t

    /// Returns when the agent is registered for this process, or cannot be: polkit says so then to pkexec.
    init() {
        // Not as `--fallback`, which polkit 122 asks for no process: a person at a terminal is asked there, also on a desktop.
        let words = ["--process", "\(getpid())", "--notify-fd", "3"]
        guard let (reader, writer) = try? Descriptor.pipe(),
            // It asks on the terminal itself.
            let child = try? ChildProgram.start(Self.program, words, input: .nothing, descriptors: [writer.number])
        else {
            process = -1
            return
        }
        process = child
        _ = consume writer
        // It closes its end once it is registered, and at its end.
        _ = try? reader.wait(for: POLLIN, until: ContinuousClock.now + Self.patience)
    }

    private static let patience = Duration.seconds(5)

    deinit {
        guard process > 0 else { return }
        kill(process, SIGTERM)
        _ = ChildProgram.wait(for: process)
    }
}
