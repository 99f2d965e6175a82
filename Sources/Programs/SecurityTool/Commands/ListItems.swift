import ArgumentParser
import CoreFoundationAliases
import KeychainModel
import Security
import Terminal

struct ListItems: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List items in a table. (Not on a Mac.)",
        discussion: """
            On a terminal, columns that are too wide end with an ellipsis. Control characters in names are shown as \
            \\n, \\e or \\u{…}.

            EXAMPLES
              The passwords of one program's group:
                security list --class generic --group com.example.app
              For another program:
                security list --json | jq -r '.[].account'
            """
    )

    static let syntax =
        ScopeOptions.syntax
        + OptionSyntax(flags: ["json"], valued: ["class", "s", "service", "server", "a", "account"])

    @Option(name: .customLong("class"), help: "Only items of this class.")
    var itemClass: ListedClass?

    @Option(
        name: [.customShort("s"), .customLong("service"), .customLong("server")],
        help: "Only items of this service or server."
    )
    var name: String?

    @Option(name: .shortAndLong, help: "Only items of this account.")
    var account: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    func run() throws {
        let items = try files.search { () throws(Failure) in
            var items: [KeychainItem] = []
            for itemClass in ItemClass.stored where self.itemClass?.itemClass ?? itemClass == itemClass {
                items += try ItemSearch(itemClass, in: scope).all().filter(isWanted).sorted(by: Self.precedes)
            }
            return items
        }
        if json {
            try Console.print(JSONText.array(items.map { ItemJSON.value(of: $0) }).text() + "\n")
        } else if items.isEmpty {
            try Console.print("No items.\n")
        } else {
            try Console.print(ItemColumns(items).text(width: Console.width))
        }
    }

    private func isWanted(_ item: KeychainItem) -> Bool {
        switch item.itemClass {
        case .genericPassword:
            matches(name, item.text(kSecAttrService)) && matches(account, item.text(kSecAttrAccount))
        case .internetPassword:
            matches(name, item.text(kSecAttrServer)) && matches(account, item.text(kSecAttrAccount))
        case .certificate, .key, .identity:
            name == nil && account == nil
        }
    }

    /// Byte by byte, as the keychain compares.
    private func matches(_ wanted: String?, _ value: String?) -> Bool {
        guard let wanted else { return true }
        return value.map { $0.utf8.elementsEqual(wanted.utf8) } ?? false
    }

    private static func precedes(_ left: KeychainItem, _ right: KeychainItem) -> Bool {
        func key(_ item: KeychainItem) -> [String] {
            [item.group, item.name, item.text(kSecAttrAccount) ?? ""]
        }
        return key(left).lexicographicallyPrecedes(key(right))
    }
}

/// The value of `--class`: a word, or Apple's code.
struct ListedClass: ExpressibleByArgument {
    let itemClass: ItemClass

    private static let names: [(name: String, itemClass: ItemClass)] = [
        ("generic", .genericPassword), ("internet", .internetPassword), ("certificate", .certificate), ("key", .key),
    ]

    static var allValueStrings: [String] { names.map(\.name) }

    init?(argument: String) {
        let match = Self.names.first { $0.name == argument || $0.itemClass.rawValue == argument }
        guard let match else { return nil }
        itemClass = match.itemClass
    }
}
