import ArgumentParser
import KeychainModel

struct FindGenericPassword: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-generic-password",
        abstract: "Find the password of a program or a service.",
        discussion: """
            Prints the first item that has all the given attributes, or fails with status 44 if there is none. A \
            password that is not printable ASCII is printed as hexadecimal digits, as on a Mac; --raw prints it as it \
            is.

            EXAMPLES
              Use a password in a script:
                PASS=$(security find-generic-password -s backup -a alice -w)
              Ask whether there is one:
                if security find-generic-password -s backup >/dev/null 2>&1; then …
              Take an attribute from it:
                security find-generic-password -s backup --json | jq -r .account
            """
    )

    static let syntax = GenericOptions.syntax + ShowOptions.syntax + ScopeOptions.syntax

    @OptionGroup(title: "Attributes to look for") var item: GenericOptions
    @OptionGroup(title: "Output") var show: ShowOptions
    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    func run() throws {
        try show.print(files.first(ItemSearch(.genericPassword, item.attributes, in: scope)))
    }
}
