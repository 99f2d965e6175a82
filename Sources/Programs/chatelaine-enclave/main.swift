import CKeychainLinux
import Glibc

// Any failure before the rights are given up ends the process.
clinux_reset_crash_signals()
// The reader of its log may go away first. Under systemd it is so already.
signal(SIGPIPE, SIG_IGN)
do {
    let options = try EnclaveOptions(CommandLine.arguments.dropFirst())
    try EnclaveProcess.run(options)
} catch {
    EnclaveProcess.complain("\(error)")
    exit(1)
}
