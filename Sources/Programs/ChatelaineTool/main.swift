import CLinux
import Glibc

clinux_reset_crash_signals()
exit(
    CredentialHelperRun.run(Array(CommandLine.arguments.dropFirst()))
        ?? Tool.run(Array(CommandLine.arguments.dropFirst()))
)
