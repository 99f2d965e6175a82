import CredentialProgram
import KeychainClient
import KeychainModel
import Logging

/// What `chatelaine-credential` becomes where a program opens its keychain itself: that one has no engine. No person types
/// this command.
enum CredentialHelperRun {
    /// Runs the helper, if the command line is one of that program's.
    ///
    /// - Parameter arguments: the word, the path of `chatelaine-credential`, and its own command line.
    /// - Returns: the exit status; nil for any other command line.
    static func run(_ arguments: [String]) -> Int32? {
        guard arguments.first == "credential-helper", arguments.count >= 3 else { return nil }
        if Environment[KeychainLog.variable] == nil { LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() } }
        // The name that a service gives the program where only root can write to it: the items stay where they are when
        // a service takes over the keychain.
        let group = "program." + arguments[1]
        ProcessIdentity.declare(Caller(name: group, groups: AccessGroups([group]), ownGroup: group))
        return CredentialProgram.run(Array(arguments.dropFirst(2))) { () throws(KeychainError) in
            try CurrentKeychain.service()
        }
    }
}
