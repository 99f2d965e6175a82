import ArgumentParser
import Foundation
import KeychainModel
import Terminal

struct DumpKeychain: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump-keychain",
        abstract: "Print all items.",
        discussion: """
            EXAMPLES
              The services of all items:
                security dump-keychain | grep '"svce"'
              Everything, passwords too, for another program:
                security dump-keychain -d --json
            """
    )

    static let syntax =
        ScopeOptions.syntax + OptionSyntax(flags: ["d", "data", "json", "r", "raw", "a", "acl", "i", "interactive"])

    @Flag(name: [.customShort("d"), .customLong("data")], help: "Print the passwords too.")
    var showsData = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(
        name: [
            .customShort("r"), .customLong("raw"), .customShort("a"), .customLong("acl"), .customShort("i"),
            .customLong("interactive"),
        ],
        help: "No effect; accepted for scripts from a Mac."
    )
    var isIgnored = false

    @OptionGroup var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    func run() throws {
        let values = try files.search { () throws(Failure) in
            var items: [KeychainItem] = []
            for itemClass in ItemClass.stored { items += try ItemSearch(itemClass, in: scope).all() }
            guard json else {
                try print(items)
                return [JSONText]()
            }
            return try items.map { item throws(Failure) in
                showsData ? ItemJSON.value(of: item, password: try item.password()) : ItemJSON.value(of: item)
            }
        }
        if json { try Console.print(JSONText.array(values).text() + "\n") }
    }

    private func print(_ items: [KeychainItem]) throws(Failure) {
        let printer = AttributePrinter()
        for item in items {
            var text = printer.text(for: item)
            if showsData { text += "data:\n" + AttributeText.quoted(bytes: try item.password() ?? Data()) + "\n" }
            try Console.print(text)
        }
    }
}
