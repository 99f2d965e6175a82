import ArgumentParser
import KeychainModel

struct DeleteInternetPassword: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-internet-password",
        abstract: "Delete the password of a server.",
        discussion: """
            Deletes one item: the first one that has all the given attributes, which is the one that \
            find-internet-password prints.

            EXAMPLES
              Delete one:
                security delete-internet-password -s git.example.com -a alice
            """
    )

    static let syntax = InternetOptions.syntax + ScopeOptions.syntax

    @OptionGroup(title: "Attributes to look for") var item: InternetOptions
    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    func validate() throws {
        guard !item.attributes.isEmpty || scope.group != nil else {
            throw ValidationError("Say which item: give an attribute.")
        }
    }

    func run() throws {
        try files.first(ItemSearch(.internetPassword, item.attributes, in: scope)).delete()
    }
}
