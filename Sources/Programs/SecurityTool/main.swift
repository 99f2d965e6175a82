import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel
import Logging

clinux_reset_crash_signals()
StandardDescriptors.reserve()
LoggingSystem.bootstrap { _ in LogToStandardError() }
// An embedded keychain keeps no program out, so the command looks after the items of all programs, and
// what it adds without a group is its own.
ProcessIdentity.declare(Caller(name: "security", groups: AccessGroups([ownGroup, "*"])))
exit(Tool.run(programArguments()))
