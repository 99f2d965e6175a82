import ArgumentParser
import CoreFoundationAliases
import KeychainModel
import Security
import Terminal

struct AddInternetPassword: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-internet-password",
        abstract: "Add the password of a server.",
        discussion: """
            The label is the server's name where none is given, the authentication type is dflt. Items are the same if \
            server, account, protocol, port, path, authentication type, security domain and group are.

            EXAMPLES
              Ask for the password on the terminal:
                security add-internet-password -s git.example.com -a alice -r htps -w
              Change it, or add it if it is not there:
                security add-internet-password -U -s git.example.com -a alice -r htps -w
            """
    )

    static let syntax = InternetOptions.syntax + PasswordOptions.syntax + ScopeOptions.syntax

    @OptionGroup(title: "Attributes") var item: InternetOptions
    @OptionGroup(title: "Password") var password: PasswordOptions
    @OptionGroup(title: "Beyond macOS") var scope: ScopeOptions
    @OptionGroup var files: KeychainArguments

    func validate() throws {
        guard item.common.account != nil, item.server != nil else {
            throw ValidationError("An account (-a) and a server (-s) are needed.")
        }
    }

    func run() throws {
        try files.selectOne(for: Failure.Operation.create.rawValue)
        var primaryKey: [CFString: Any] = [
            kSecAttrAccount: "", kSecAttrServer: "", kSecAttrSecurityDomain: "", kSecAttrPath: "", kSecAttrPort: 0,
            kSecAttrProtocol: 0,
        ]
        // Where none is given, -U finds an item of a program that set none, too.
        if let type = item.authenticationType { primaryKey[kSecAttrAuthenticationType] = type.text }
        let newItem = NewItem(
            itemClass: .internetPassword,
            attributes: item.attributes,
            defaults: [
                kSecAttrLabel: item.server ?? "", kSecAttrAuthenticationType: kSecAttrAuthenticationTypeDefault,
            ],
            primaryKey: primaryKey,
            password: try password.data(),
            scope: scope
        )
        try newItem.store(update: password.update)
    }
}
