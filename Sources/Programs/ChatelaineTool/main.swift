import CKeychainLinux
import Glibc

clinux_reset_crash_signals()
let arguments = Array(CommandLine.arguments.dropFirst())
exit(CredentialHelperRun.run(arguments) ?? Tool.run(arguments))
