import ArgumentParser
import KeychainModel

struct FindInternetPassword: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "find-internet-password",
        abstract: "Find the password of a server.",
        discussion: """
            Prints the first item that has all the given attributes, or fails with status 44 if there is none. A \
            password that is not printable ASCII is printed as hexadecimal digits, as on a Mac; --raw prints it as it \
            is.

            EXAMPLES
              Use a password in a script:
                PASS=$(security find-internet-password -s git.example.com -a alice -w)
              See the item with its password:
                security find-internet-password -s git.example.com -g
            """
    )

    static let syntax = InternetOptions.syntax + ShowOptions.syntax + ScopeOptions.syntax

    @OptionGroup(title: "Attributes to look for") var item: InternetOptions
    @OptionGroup(title: "Output") var show: ShowOptions
    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    func run() throws {
        try show.print(files.first(ItemSearch(.internetPassword, item.attributes, in: scope)))
    }
}
