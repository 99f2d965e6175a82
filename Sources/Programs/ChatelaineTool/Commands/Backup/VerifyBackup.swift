import ArgumentParser
import KeychainBackup
import KeychainClient
import KeychainModel
import Terminal

struct VerifyBackup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read a backup to its end, and say whether it is whole and who made it.",
        discussion: "Ends with 0 if it can be restored. The keychain is not touched."
    )

    @OptionGroup var opening: OpeningOptions

    @Argument(help: "The backup.")
    var file: String

    func run() throws {
        var reader = try BackupOpening.reader(of: InputFile(file), opening)
        while try translating({ () throws(BackupFailure) in try reader.next() }) != nil {}
        try BackupOpening.describe(reader)
    }
}

/// Reading a backup without a keychain.
enum BackupOpening {
    static func reader(of file: InputFile, _ options: OpeningOptions) throws -> BackupReader {
        let source = try file.source()
        let header = try translating { () throws(BackupFailure) in try BackupHeader(from: source) }
        let key = try options.fileKey(of: header)
        let again = try file.source()
        return try translating { () throws(BackupFailure) in try BackupReader(again, fileKey: key) }
    }

    /// Says what a backup is that was read to its end.
    static func describe(_ reader: BackupReader) throws {
        guard let counts = reader.counts else { return }
        Console.print("made      \(BackupText.date(reader.header.creationDate))\n")
        // The keychain may be away, or locked: the backup is whole nevertheless.
        let origin = try? CurrentKeychain.backups().origin(ofBackupsBy: reader.header.signer)
        Console.print("made by   \(origin.map(BackupText.origin) ?? "unknown (the keychain cannot be asked)")\n")
        Console.print("items     \(counts.items)\n")
        Console.print("device's  \(counts.deviceItems)\n")
        if counts.damaged > 0 { Console.print("missing   \(counts.damaged) (damaged when it was made)\n") }
    }
}
