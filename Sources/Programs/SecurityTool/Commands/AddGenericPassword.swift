import ArgumentParser
import CoreFoundationAliases
import KeychainModel
import Security
import Terminal

struct AddGenericPassword: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-generic-password",
        abstract: "Add the password of a program or a service.",
        discussion: """
            The label is the service's name where none is given. If there is such an item (same service, account and \
            group), the command fails with status 45, or with -U changes it.

            EXAMPLES
              Ask for the password on the terminal:
                security add-generic-password -s backup -a alice -w
              Take it from another program:
                pwgen 32 1 | security add-generic-password -s backup -a alice -w
              Change it, or add it if it is not there:
                security add-generic-password -U -s backup -a alice -w
            """
    )

    static let syntax =
        GenericOptions.syntax + PasswordOptions.syntax + ScopeOptions.syntax + OptionSyntax(valued: ["p"])

    @OptionGroup(title: "Attributes") var item: GenericOptions
    @OptionGroup(title: "Password") var password: PasswordOptions
    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    @Option(name: .customShort("p"), help: ArgumentHelp("The older name of -w.", visibility: .hidden))
    var legacyPassword: String?

    func validate() throws {
        guard item.common.account != nil, item.service != nil else {
            throw ValidationError("An account (-a) and a service (-s) are needed.")
        }
    }

    func run() throws {
        try files.selectOne(for: Failure.Operation.create.rawValue)
        let newItem = NewItem(
            itemClass: .genericPassword,
            attributes: item.attributes,
            defaults: [kSecAttrLabel: item.service ?? ""],
            primaryKey: [kSecAttrAccount: "", kSecAttrService: ""],
            password: try password.data(legacy: legacyPassword),
            scope: scope
        )
        try newItem.store(update: password.update)
    }
}
