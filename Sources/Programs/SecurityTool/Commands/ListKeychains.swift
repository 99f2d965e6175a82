import ArgumentParser
import Security
import Terminal

/// The part of a Mac's lists that a command is about. Only that of the user can be changed.
enum PreferenceDomain: String, CaseIterable, ExpressibleByArgument {
    case user
    case system
    case common
    case dynamic

    /// The keychains of a list that is always the same; nil for the user's own.
    var fixed: [NamedKeychain]? {
        switch self {
        case .user: nil
        case .system, .common: [.anchors]
        case .dynamic: []
        }
    }
}

extension [NamedKeychain] {
    /// As a Mac prints them: one a line, in quotes.
    func printPaths() throws(Failure) {
        for keychain in self { try Console.print("    \"\(TerminalText.escaped(try keychain.path()))\"\n") }
    }
}

struct ListKeychains: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "list-keychains",
        abstract: "Print the keychains that are searched, or say which are.",
        discussion: """
            EXAMPLES
              Search a build's keychain too:
                security list-keychains -d user -s build.keychain $(security list-keychains -d user | tr -d '"')
            """
    )

    static let syntax = OptionSyntax(flags: ["s", "set"], valued: ["d", "domain"])

    @Option(name: .shortAndLong, help: "The list: user, or system, common and dynamic, which cannot be changed.")
    var domain = PreferenceDomain.user

    @Flag(name: [.customShort("s"), .customLong("set")], help: "Search these keychains, and no others.")
    var sets = false

    @Argument(help: "Names or paths.", completion: .file())
    var keychains: [String] = []

    func run() throws {
        // Those that are gone are not printed: scripts hand the answer back.
        guard sets else { return try (domain.fixed ?? SearchList.current().present).printPaths() }
        guard domain == .user else { throw Failure("this list cannot be changed") }
        var searched: [NamedKeychain] = []
        for name in keychains {
            let keychain = try NamedKeychain(name, for: "SecKeychainSetSearchList")
            if !searched.contains(keychain) { searched.append(keychain) }
        }
        let list = searched
        try SearchList.change { $0.search(list) }
    }
}

struct DefaultKeychain: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "default-keychain",
        abstract: "Print the keychain that new items go to, or say which it is.",
        discussion: """
            EXAMPLES
              security default-keychain -s build.keychain
              Your own again:
                security default-keychain -s login.keychain
            """
    )

    static let syntax = OptionSyntax(flags: ["s", "set"], valued: ["d", "domain"])

    @Option(name: .shortAndLong, help: "The list: user, or system, common and dynamic, which cannot be changed.")
    var domain = PreferenceDomain.user

    @Flag(name: [.customShort("s"), .customLong("set")], help: "This keychain; without a name, your own.")
    var sets = false

    @Argument(help: "A name or a path.", completion: .file())
    var keychain: String?

    func run() throws {
        guard sets else { return try (domain.fixed ?? [SearchList.current().first]).printPaths() }
        guard domain == .user else { throw Failure("this keychain cannot be changed") }
        let chosen: NamedKeychain =
            if let keychain { try NamedKeychain(keychain, for: "SecKeychainSetDefault") } else { .login }
        guard chosen != .anchors else {
            throw Failure("SecKeychainSetDefault \(TerminalText.escaped(keychain ?? ""))", errSecReadOnly)
        }
        try SearchList.change { $0.setFirst(chosen) }
    }
}

struct LoginKeychain: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "login-keychain",
        abstract: "Print your own keychain."
    )

    static let syntax = OptionSyntax(valued: ["d", "domain"])

    @Option(name: .shortAndLong, help: "No effect; accepted for scripts from a Mac.")
    var domain: PreferenceDomain?

    func run() throws {
        try [NamedKeychain.login].printPaths()
    }
}
