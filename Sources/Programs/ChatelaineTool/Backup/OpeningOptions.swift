import ArgumentParser
import KeychainBackup
import KeychainModel
import Terminal

/// How a backup is opened.
struct OpeningOptions: ParsableArguments {
    @Option(help: ArgumentHelp("An identity file, as chatelaine backup keygen makes it.", valueName: "file"))
    var identity: String?

    @Flag(
        name: .customLong("stdin"),
        help:
            "Read secrets from standard input, one a line: first the passcode, if it is asked for, then the passphrase."
    )
    var readsStandardInput = false

    var questions: SecretQuestions { SecretQuestions(readsStandardInput: readsStandardInput) }

    /// The key of a backup whose header was read.
    func fileKey(of header: BackupHeader) throws -> FileKey {
        if let identity {
            let text = try InputFile(identity).contents(largest: 64 << 10)
            guard let identity = BackupIdentity(text: String(decoding: text, as: UTF8.self)) else {
                throw Failure("\(identity) has no identity in it")
            }
            return try translating { () throws(BackupFailure) in try header.fileKey(identity: identity) }
        }
        guard header.keys.contains(where: { !$0.recipient.stanza.isEmpty }) else {
            throw Failure("the backup has no passphrase; give the identity that it was made for: --identity FILE")
        }
        let passphrase = try BackupPassphrase(questions.ask(for: "passphrase of the backup"))
        return try translating { () throws(BackupFailure) in try header.fileKey(passphrase: passphrase) }
    }
}

/// Runs something with a backup, and lets what is wrong with it be said as any other failure is.
func translating<Value>(_ body: () throws(BackupFailure) -> Value) throws(KeychainError) -> Value {
    do throws(BackupFailure) {
        return try body()
    } catch {
        throw error.keychainError
    }
}
