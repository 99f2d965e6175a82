import CKeychainLinux
import Glibc

clinux_reset_crash_signals()
// Clients may go away while they are answered.
signal(SIGPIPE, SIG_IGN)
exit(PasskeysTool.run(Array(CommandLine.arguments.dropFirst())))
