import ArgumentParser
import CoreFoundationAliases
import Foundation
import Security

/// The attributes that every password has. In an add they are what is stored, elsewhere what is looked for.
struct CommonOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The account: whose password it is.")
    var account: String?

    @Option(name: .shortAndLong, help: "The label: the name that people see.")
    var label: String?

    @Option(name: [.customShort("j"), .long], help: "A comment.")
    var comment: String?

    @Option(name: [.customShort("D"), .long], help: "The kind: a few words such as \"application password\".")
    var kind: String?

    @Option(name: [.customShort("C"), .long], help: "The type: four characters, such as note.")
    var type: FourCharacterCode?

    @Option(name: .shortAndLong, help: "The creator: four characters.")
    var creator: FourCharacterCode?

    static let syntax = OptionSyntax(valued: [
        "a", "account", "l", "label", "j", "comment", "D", "kind", "C", "type", "c", "creator",
    ])

    var attributes: [CFString: Any] {
        var attributes: [CFString: Any] = [:]
        attributes[kSecAttrAccount] = account
        attributes[kSecAttrLabel] = label
        attributes[kSecAttrComment] = comment
        attributes[kSecAttrDescription] = kind
        attributes[kSecAttrType] = type.map { NSNumber(value: $0.number) }
        attributes[kSecAttrCreator] = creator.map { NSNumber(value: $0.number) }
        return attributes
    }
}

/// The attributes of a generic password.
struct GenericOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The service: what the password is for.")
    var service: String?

    @OptionGroup var common: CommonOptions

    @Option(name: [.customShort("G"), .long], help: "A value of the program's own.")
    var generic: String?

    static let syntax = CommonOptions.syntax + OptionSyntax(valued: ["s", "service", "G", "generic"])

    var attributes: [CFString: Any] {
        var attributes = common.attributes
        attributes[kSecAttrService] = service
        attributes[kSecAttrGeneric] = generic.map { Data($0.utf8) }
        return attributes
    }
}

/// The attributes of an internet password.
struct InternetOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The server: its host name.")
    var server: String?

    @OptionGroup var common: CommonOptions

    @Option(
        name: [.customShort("r"), .customLong("protocol")],
        help: "The protocol: four characters (http, htps, ssh)."
    )
    var networkProtocol: FourCharacterText?

    @Option(name: [.customShort("P"), .long], help: "The port: 0 to 65535.")
    var port: UInt16?

    @Option(name: .shortAndLong, help: "The path on the server.")
    var path: String?

    @Option(name: [.customShort("t"), .long], help: "How to authenticate: four characters (dflt, form, http).")
    var authenticationType: FourCharacterText?

    @Option(name: [.customShort("d"), .long], help: "The security domain.")
    var securityDomain: String?

    static let syntax =
        CommonOptions.syntax
        + OptionSyntax(valued: [
            "s", "server", "r", "protocol", "P", "port", "p", "path", "t", "authentication-type", "d",
            "security-domain",
        ])

    var attributes: [CFString: Any] {
        var attributes = common.attributes
        attributes[kSecAttrServer] = server
        attributes[kSecAttrProtocol] = networkProtocol?.text
        attributes[kSecAttrPort] = port.map { NSNumber(value: $0) }
        attributes[kSecAttrPath] = path
        attributes[kSecAttrAuthenticationType] = authenticationType?.text
        attributes[kSecAttrSecurityDomain] = securityDomain
        return attributes
    }
}
