import ArgumentParser
import CoreFoundationAliases
import Foundation
import KeychainModel
import Security
import Terminal

struct ListItems: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List items in a table. (Not on a Mac.)",
        discussion: """
            On a terminal, columns that are too wide end with an ellipsis. Control characters in names are shown as \
            \\n, \\e or \\u{…}. To look at items in the browser: chatelaine access.

            EXAMPLES
              The passwords of one program's group:
                security list --class generic --group com.example.app
              What is synchronized and has "mail" in it:
                security list --synchronizable --match mail --columns label,account,modified
              For another program:
                security list --json | jq -r '.[].account'
            """
    )

    static let syntax =
        ScopeOptions.syntax
        + OptionSyntax(
            flags: ["json"],
            valued: ["class", "s", "service", "server", "a", "account", "match", "protection", "columns", "color"]
        )

    @Option(name: .customLong("class"), help: "Only items of this class.")
    var itemClass: ListedClass?

    @Option(
        name: [.customShort("s"), .customLong("service"), .customLong("server")],
        help: "Only items of this service or server."
    )
    var name: String?

    @Option(name: .shortAndLong, help: "Only items of this account.")
    var account: String?

    @Option(help: "Only items with this in their label, service, server, account or group, in any case.")
    var match: String?

    @Option(help: "Only items with this accessibility, such as WhenUnlocked.")
    var protection: ListedProtection?

    @Option(
        help:
            "What the table shows, separated by commas: \(ItemColumn.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var columns: ListedColumns?

    @Option(help: "Whether titles are bold: on a terminal alone, unless NO_COLOR is set.")
    var color = ColorChoice.auto

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
            let table = ItemColumns(items, columns?.columns ?? ItemColumn.usual)
            try Console.print(table.text(width: Console.width, hasStyles: color.hasStyles))
        }
    }

    private func isWanted(_ item: KeychainItem) -> Bool {
        if let protection, item.text(kSecAttrAccessible) != protection.accessibility.rawValue { return false }
        if let match = match?.lowercased() {
            let texts = [item.text(kSecAttrLabel), item.name, item.text(kSecAttrAccount), item.group]
            guard texts.contains(where: { $0?.lowercased().contains(match) ?? false }) else { return false }
        }
        return hasNames(item)
    }

    private func hasNames(_ item: KeychainItem) -> Bool {
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

/// The value of `--protection`.
struct ListedProtection: ExpressibleByArgument {
    let accessibility: Accessibility

    static var allValueStrings: [String] { Accessibility.allCases.map(\.name) }

    init?(argument: String) {
        let match = Accessibility.allCases.first { $0.name == argument || $0.rawValue == argument }
        guard let match else { return nil }
        accessibility = match
    }
}

/// The value of `--columns`.
struct ListedColumns: ExpressibleByArgument {
    let columns: [ItemColumn]

    init?(argument: String) {
        let columns = argument.split(separator: ",", omittingEmptySubsequences: false).map {
            ItemColumn(rawValue: String($0))
        }
        guard !columns.contains(nil) else { return nil }
        self.columns = columns.compactMap(\.self)
    }
}

/// The value of `--color`.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto
    case always
    case never

    /// Of what goes to standard output. NO_COLOR: <https://no-color.org>.
    var hasStyles: Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto: Console.width != nil && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        }
    }
}
