import ArgumentParser
import CodeSignature
import KeychainBackup
import KeychainSystem
import Terminal

struct NewBackupIdentity: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Make a key that can open backups.",
        discussion: """
            The file opens every backup that is made for its recipient: keep it where the backups are not. What is \
            printed is for chatelaine backup create --recipient, and no secret; it is long, and may be kept in a file.
            """
    )

    @Argument(help: "Where the identity goes. An existing file is not overwritten.")
    var file: String

    func run() throws {
        let identity = try translating { () throws(BackupFailure) in try BackupIdentity() }
        let output = try NewFile(beside: file, mode: 0o600)
        try output.write(Array(identity.text.utf8))
        try output.commit(replacing: false)
        Console.print(identity.recipient.text + "\n")
    }
}
