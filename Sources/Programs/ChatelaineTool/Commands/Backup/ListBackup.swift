import ArgumentParser
import KeychainBackup
import KeychainModel
import Terminal

struct ListBackup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Say what is in a backup, without its secrets.",
        discussion: "A line for each item: class, access group, name. Then the output of chatelaine backup verify."
    )

    @OptionGroup var opening: OpeningOptions

    @Argument(help: "The backup.")
    var file: String

    func run() throws {
        var reader = try BackupOpening.reader(of: InputFile(file), opening)
        while let record = try translating({ () throws(BackupFailure) in try reader.next() }) {
            switch record {
            case .item(let item):
                Console.print(BackupText.line(item.itemClass, item.accessGroup, item.title) + "\n")
            case .deviceItem: Console.print("?     (for the device alone that made the backup)\n")
            }
        }
        try BackupOpening.describe(reader)
    }
}
