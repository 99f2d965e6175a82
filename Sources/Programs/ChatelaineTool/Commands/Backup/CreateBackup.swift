import ArgumentParser
import CodeSignature
import EnclaveInterface
import KeychainBackup
import KeychainClient
import KeychainModel
import KeychainSystem
import Terminal

struct CreateBackup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Write all items of the keychain into one encrypted file.",
        discussion: """
            All access groups are in it, whichever program you run. It asks for the keychain's passcode, and for a \
            passphrase that will open the backup, unless recipients are named. Items that are for this device alone are \
            in it too, and only this device can take them out again.
            """
    )

    @Option(
        name: [.long, .customShort("r")],
        help: ArgumentHelp(
            "Who can open it: what chatelaine backup keygen prints, or a file with that; may be given more than once.",
            valueName: "key"
        )
    )
    var recipient: [String] = []

    @Flag(
        name: .customLong("stdin"),
        help:
            "Read secrets from standard input, one a line: first the passcode, if it is asked for, then the passphrase."
    )
    var readsStandardInput = false

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @Argument(help: "The file. Only you can read it.")
    var file: String

    func run() throws {
        try OutputPath.check(file, replacing: force)
        let named = try recipient.map(Self.recipient)
        let keychain = try CurrentKeychain.backups()
        let questions = SecretQuestions(readsStandardInput: readsStandardInput)
        let authorization = try OwnerAuthorization(of: keychain, asking: questions)
        let recipients = try named.isEmpty ? [passphrase(asking: questions)] : named
        let output = try NewFile(beside: file, mode: 0o600)
        let progress = Progress("writing")
        var written: UInt64 = 0
        let request = BackupRequest(token: try authorization.token(for: .backup), recipients: recipients)
        let counts = try keychain.backup(request) { (bytes) throws(KeychainError) in
            try KeychainError.translating { try output.write(bytes) }
            written += UInt64(bytes.count)
            progress.show(written)
        }
        try output.commit(replacing: force)
        progress.end()
        Console.print("Wrote \(BackupText.items(counts.items + counts.deviceItems)) to \(TerminalText.escaped(file))")
        Console.print(counts.deviceItems == 0 ? ".\n" : ", \(counts.deviceItems) of them for this device alone.\n")
        if counts.damaged > 0 { Console.printError(BackupText.damaged) }
    }

    private static func recipient(_ text: String) throws -> BackupRecipient {
        if let recipient = BackupRecipient(text: text) { return recipient }
        // A colon is in all of them, and in few names of files.
        if !text.contains(":") {
            let lines = String(decoding: try InputFile(text).contents(largest: 64 << 10), as: UTF8.self)
            if let line = lines.split(whereSeparator: \.isWhitespace).first,
                let recipient = BackupRecipient(text: String(line))
            {
                return recipient
            }
        }
        throw Failure("\(text) is no recipient, or a mistyped one")
    }

    private func passphrase(asking questions: SecretQuestions) throws -> BackupRecipient {
        let passphrase = try BackupPassphrase(questions.askTwice(for: "passphrase for the backup"))
        return try translating { () throws(BackupFailure) in try BackupRecipient(passphrase: passphrase) }
    }
}
