import CLinux
import Glibc

// Any failure before the rights are given up ends the process.
clinux_reset_crash_signals()
do {
    let options = try EnclaveOptions(CommandLine.arguments.dropFirst())
    try EnclaveProcess.run(options)
} catch {
    EnclaveProcess.complain("\(error)")
    exit(1)
}
