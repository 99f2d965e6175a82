import CKeychainLinux
import CredentialProgram
import Glibc
import KeychainModel
import KeychainServiceClient
import Logging

clinux_reset_crash_signals()
// What is wrong is said in the words of whoever started this. A log would say it once more.
if Environment[KeychainLog.variable] == nil { LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() } }
exit(
    CredentialProgram.run(CommandLine.arguments) { () throws(KeychainError) in
        switch try KeychainLocation.current() {
        case .service(let address): ServiceConnection(address)
        case .embedded, .memory: throw EmbeddedProgram.execute(CommandLine.arguments)
        }
    }
)
