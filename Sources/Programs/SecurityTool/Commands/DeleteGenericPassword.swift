import ArgumentParser
import KeychainModel

struct DeleteGenericPassword: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-generic-password",
        abstract: "Delete the password of a program or a service.",
        discussion: """
            Deletes one item: the first one that has all the given attributes, which is the one that \
            find-generic-password prints.

            EXAMPLES
              Delete one:
                security delete-generic-password -s backup -a alice
              Delete all of a service:
                while security delete-generic-password -s backup >/dev/null 2>&1; do :; done
            """
    )

    static let syntax = GenericOptions.syntax + ScopeOptions.syntax

    @OptionGroup(title: "Attributes to look for") var item: GenericOptions
    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    func validate() throws {
        guard !item.attributes.isEmpty || scope.group != nil else {
            throw ValidationError("Say which item: give an attribute.")
        }
    }

    func run() throws {
        try files.first(ItemSearch(.genericPassword, item.attributes, in: scope)).delete()
    }
}
