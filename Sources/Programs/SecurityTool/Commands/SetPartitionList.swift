import ArgumentParser
import Terminal

/// What the commands that set partition lists are told, and do nothing with: which of Apple's tools may use an item without
/// asking is a matter of items that name programs, and items here name none.
struct PartitionListOptions: ParsableArguments {
    @Option(name: .customShort("S"), help: "Which tools may use the items; no effect.")
    var partitions: String?

    @Option(name: .customShort("k"), help: "The keychain's password; no effect.")
    var password: String?

    @Option(
        name: [
            .customShort("a"), .customShort("c"), .customShort("C"), .customShort("D"), .customShort("G"),
            .customShort("j"), .customShort("l"), .customShort("t"), .customShort("p"), .customShort("P"),
            .customShort("r"),
        ],
        help: "Which items; no effect."
    )
    var items: [String] = []

    @Flag(
        name: [
            .customShort("d"), .customShort("e"), .customShort("s"), .customShort("u"), .customShort("v"),
            .customShort("w"), .customShort("y"),
        ],
        help: "Which items; no effect."
    )
    var flags: Int

    static let syntax = OptionSyntax(
        flags: ["d", "e", "s", "u", "v", "w", "y"],
        valued: ["S", "k", "a", "c", "C", "D", "G", "j", "l", "t", "p", "P", "r"]
    )
}

/// A command that sets a partition list, and so does nothing but look for the keychains that it names.
protocol PartitionListCommand: ItemCommand {
    var files: KeychainArguments { get }
}

extension PartitionListCommand {
    static var syntax: OptionSyntax { PartitionListOptions.syntax }

    func run() throws {
        _ = try files.searched(for: "SecKeychainItemSetAccess")
    }
}

struct SetKeyPartitionList: PartitionListCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-key-partition-list",
        abstract: "No effect; accepted for scripts from a Mac."
    )

    @OptionGroup var options: PartitionListOptions
    @OptionGroup var files: KeychainArguments
}

struct SetGenericPasswordPartitionList: PartitionListCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-generic-password-partition-list",
        abstract: "No effect; accepted for scripts from a Mac."
    )

    @OptionGroup var options: PartitionListOptions
    @OptionGroup var files: KeychainArguments
}

struct SetInternetPasswordPartitionList: PartitionListCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-internet-password-partition-list",
        abstract: "No effect; accepted for scripts from a Mac."
    )

    @OptionGroup var options: PartitionListOptions
    @OptionGroup var files: KeychainArguments
}
