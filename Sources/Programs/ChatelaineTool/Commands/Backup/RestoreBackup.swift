import ArgumentParser
import EnclaveInterface
import KeychainBackup
import KeychainClient
import KeychainModel
import Terminal

struct RestoreBackup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put the items of a backup into the keychain: all, or none.",
        discussion: """
            Items that the keychain has too are decided by --on-conflict; synchronizable ones always by which is newer, \
            as on every other device. Items that are for another device alone stay out.
            """
    )

    @Flag(name: .customLong("dry-run"), help: "Change nothing, and say what would become of each item.")
    var isDryRun = false

    @Option(
        name: .customLong("on-conflict"),
        help: ArgumentHelp(
            "Which of two wins: the newer one, the keychain's (keep), or the backup's (replace).",
            valueName: "rule"
        )
    )
    var rule = ConflictRule.newer

    @Flag(help: "Accept a backup of an unknown device, and remember the device.")
    var acceptOrigin = false

    @OptionGroup var opening: OpeningOptions

    @Argument(help: "The backup.")
    var file: String

    func run() throws {
        let input = try InputFile(file)
        let source = try input.source()
        let header = try translating { () throws(BackupFailure) in try BackupHeader(from: source) }
        let keychain = try CurrentKeychain.backups()
        // On a new machine there is none so far.
        try CurrentKeychain.open()
        let authorization = try OwnerAuthorization(of: keychain, asking: opening.questions)
        let fileKey = try opening.fileKey(of: header)
        let request = RestoreRequest(
            token: try authorization.token(for: .restore),
            fileKey: fileKey,
            rule: rule,
            isDryRun: isDryRun,
            acceptsOrigin: acceptOrigin
        )
        let progress = Progress("reading")
        let report = try keychain.restore(request, from: input) { progress.show($0, of: input.count) }
        progress.end()
        for item in report.items {
            let outcome = BackupText.outcome(item.outcome)
            let padding = String(repeating: " ", count: max(0, 8 - outcome.count))
            Console.print(outcome + padding + BackupText.line(item.itemClass, item.accessGroup, item.title) + "\n")
        }
        Console.print("made by   \(BackupText.origin(report.origin))\n")
        let words: [(RestoreOutcome, String)] = [
            (.added, "added"), (.replaced, "replaced"), (.kept, "kept"), (.otherDevice, "for another device"),
            (.refused, "refused"),
        ]
        for (outcome, word) in words {
            guard let count = report.counts[outcome], count > 0 else { continue }
            Console.print("\(count) \(word)\n")
        }
        if isDryRun { Console.print("Nothing was changed.\n") }
    }
}

extension ConflictRule: ExpressibleByArgument {}
