import ArgumentParser
import CKeychainLinux
import Glibc
import KeychainDaemon
import KeychainServer

clinux_reset_crash_signals()
// The reader of its log may go away first. Under systemd it is so already.
signal(SIGPIPE, SIG_IGN)
let options = DaemonOptions.parseOrExit()
do {
    // Everything that has to be done with one thread.
    let daemon = try PreparedDaemon(options)
    let gate = daemon.gate
    let gatekeeper = PeerGatekeeper(mode: gate.mode, witness: gate.witness, verdicts: gate.verdicts)
    try await KeychainDaemon.run(daemon, gatekeeper: gatekeeper)
} catch {
    let line = Array("chatelained: \(error)\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    exit(1)
}
