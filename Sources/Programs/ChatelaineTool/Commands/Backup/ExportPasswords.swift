import ArgumentParser
import CodeSignature
import EnclaveInterface
import Foundation
import KeychainBackup
import KeychainClient
import KeychainModel
import KeychainSystem
import PasswordImport
import Terminal

struct ExportPasswords: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the passwords into a file that is not encrypted.",
        discussion: """
            For another program, not for keeping: chatelaine backup create makes encrypted files. Items that are for this \
            device alone stay out. Comma-separated values and the Credential Exchange Format (cxf) have passwords and one-time \
            codes; JSON has all items. chatelaine passkeys export writes passkeys.
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv
        case json
        case cxf
    }

    @Option(help: "What is written.")
    var format = Format.csv

    @Flag(
        name: .customLong("stdin"),
        help: "Read the passcode from standard input, if it is asked for."
    )
    var readsStandardInput = false

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @Argument(help: "The file. Only you can read it.")
    var file: String

    func run() throws {
        try OutputPath.check(file, replacing: force)
        Console.printError("WARNING: the file will not be encrypted: anybody who reads it has all of your passwords.\n")
        let keychain = try CurrentKeychain.backups()
        let authorization = try OwnerAuthorization(
            of: keychain,
            asking: SecretQuestions(readsStandardInput: readsStandardInput)
        )
        // The items come as a backup for a key that only this process has, and only for as long as it runs.
        let identity = try translating { () throws(BackupFailure) in try BackupIdentity() }
        let folder = URL(filePath: file).deletingLastPathComponent().path
        let spool = try SpooledBackup(in: folder.isEmpty ? "." : folder, largest: .max)
        let request = BackupRequest(
            token: try authorization.token(for: .export),
            isExport: true,
            recipients: [identity.recipient]
        )
        _ = try keychain.backup(request) { (bytes) throws(KeychainError) in try spool.append(bytes) }
        let count = try write(spool, identity)
        Console.print("Wrote \(BackupText.items(count)) to \(TerminalText.escaped(file)).\n")
    }

    private func write(_ spool: SpooledBackup, _ identity: BackupIdentity) throws -> UInt64 {
        let output = try NewFile(beside: file, mode: 0o600)
        var text: any ExportText =
            switch format {
            case .csv: CSVExport()
            case .json: JSONExport()
            case .cxf: CXFExport()
            }
        try output.write(text.start())
        try forEachItem(of: spool, identity) { text.note($0) }
        var count: UInt64 = 0
        try forEachItem(of: spool, identity) { item in
            guard let line = text.text(of: item) else { return }
            try output.write(line)
            count += 1
        }
        try output.write(text.end())
        try output.commit(replacing: force)
        if !text.unwritten.isEmpty { Console.printError("Not written:\n") }
        for line in text.unwritten { Console.printError("  \(TerminalText.escaped(line))\n") }
        return count
    }

    private func forEachItem(
        of spool: SpooledBackup,
        _ identity: BackupIdentity,
        _ body: (BackupItem) throws -> Void
    ) throws {
        let source = try spool.source()
        var reader = try translating { () throws(BackupFailure) in
            try BackupReader(source) { (header) throws(BackupFailure) in try header.fileKey(identity: identity) }
        }
        while let record = try translating({ () throws(BackupFailure) in try reader.next() }) {
            if case .item(let item) = record { try body(item) }
        }
    }
}
