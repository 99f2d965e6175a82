import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel

clinux_reset_crash_signals()
// Browsers close connections whenever they like.
signal(SIGPIPE, SIG_IGN)
// The items of all programs, as the command `security` sees them in a keychain that keeps no program out. With the service,
// it is the service that says whose items they are.
ProcessIdentity.declare(Caller(name: "chatelaine-access", groups: AccessGroups(["security", "*"])))
await exit(AccessTool.run(Array(CommandLine.arguments.dropFirst())))
