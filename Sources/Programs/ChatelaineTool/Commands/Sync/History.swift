import ArgumentParser
import EnclaveInterface
import KeychainCircles
import KeychainClient
import KeychainModel
import Terminal

struct ShowHistory: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List earlier versions of shared items: replaced, deleted, or lost against another device's change.",
        discussion: """
            They are kept for 90 days, ten of an item, on the device where they were replaced, once a keychain belongs to a circle \
            (chatelaine sync). No program sees them, and this command does not show their secrets: bring one back with \
            chatelaine restore.
            """
    )

    @Argument(help: "What is in the item's label, service, server or account; without it, all items.")
    var item: String?

    @OptionGroup var options: HistoryOptions

    func run() throws { try options.list(matching: item) { _ in true } }
}

struct ShowDeleted: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deleted",
        abstract: "List shared items that were deleted, and can be brought back."
    )

    @OptionGroup var options: HistoryOptions

    func run() throws { try options.list(matching: nil) { $0.reason == .deleted && !$0.isThere } }
}

struct RestoreVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring an earlier version of an item back, on all devices.",
        discussion: "What it replaces is an earlier version then, and can be brought back as well."
    )

    @Argument(help: "The number of the version, as `chatelaine history` and `chatelaine deleted` show it.")
    var number: Int64

    @OptionGroup var options: CircleOptions

    func run() throws {
        let (keychain, leave) = try options.earlierVersions()
        let title = try keychain.bringBack(number, leave)
        Console.print("\(TerminalText.escaped(title.isEmpty ? "The item" : title)) is back.\n")
    }
}

struct DiscardVersion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Delete an earlier version of an item for good, on this device.",
        discussion:
            "Of an item that was deleted, all versions go. Other devices keep what they have of it, for 90 days."
    )

    @Argument(help: "The number of the version, as `chatelaine history` and `chatelaine deleted` show it.")
    var number: Int64

    @OptionGroup var options: CircleOptions

    func run() throws {
        let (keychain, leave) = try options.earlierVersions()
        let title = try keychain.discard(number, leave)
        let name = title.isEmpty ? "the item" : TerminalText.escaped(title)
        Console.print("The earlier version of \(name) was deleted for good.\n")
    }
}

extension CircleOptions {
    /// The keychain whose earlier versions a command is about, and that its owner allows it.
    fileprivate func earlierVersions() throws -> (any CircleKeychain, OwnersLeave) {
        let keychain = try CurrentKeychain.shared()
        return (keychain, .token(try authorization(of: keychain).token(for: .restore)))
    }
}

/// What the commands have in common that list earlier versions.
struct HistoryOptions: ParsableArguments {
    @Flag(help: "Print them as JSON.")
    var json = false

    @OptionGroup var options: CircleOptions

    func list(matching text: String?, _ isListed: (EarlierVersion) -> Bool) throws {
        let (keychain, leave) = try options.earlierVersions()
        let versions = try keychain.earlierVersions(leave, matching: text).filter(isListed)
        if json {
            Console.print(JSONText.array(versions.map(Self.json)).text() + "\n")
        } else {
            for version in versions { Console.print(Self.line(version) + "\n") }
        }
    }

    private static func line(_ version: EarlierVersion) -> String {
        let title = version.title.isEmpty ? "(no name)" : TerminalText.escaped(version.title)
        return [
            String(version.number), SyncText.date(UInt64(clamping: version.time)), version.reason.text,
            version.itemClass.rawValue, title,
        ].joined(separator: "  ")
    }

    private static func json(_ version: EarlierVersion) -> JSONText {
        .object([
            ("number", .number(version.number)), ("time", .string(SyncText.date(UInt64(clamping: version.time)))),
            ("reason", .string(version.reason.text)), ("class", .string(version.itemClass.rawValue)),
            ("group", .string(version.accessGroup)), ("title", .string(version.title)),
            ("isThere", .bool(version.isThere)),
        ])
    }
}

extension EarlierVersion.Reason {
    fileprivate var text: String {
        switch self {
        case .replaced: "replaced"
        case .deleted: "deleted"
        case .lost: "lost"
        }
    }
}
