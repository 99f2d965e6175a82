import ArgumentParser
import Foundation
import KeychainClient
import KeychainCodes
import KeychainModel
import Terminal

struct CodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Show the one-time codes that sites ask for beside a password.",
        discussion: """
            EXAMPLES
              The code for an item whose name, place or account has "mail" in it, and how long it lasts:
                chatelaine code mail
              Add one, from the address or the secret that the site shows:
                chatelaine code add mail
            """,
        subcommands: [ShowCode.self, ListCodes.self, AddCode.self, RemoveCode.self],
        defaultSubcommand: ShowCode.self
    )
}

struct ShowCode: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a code.")

    @Argument(help: "What is in the item's name, place or account.")
    var item: String

    @Flag(help: "Print it as JSON.")
    var json = false

    @OptionGroup var options: CodeOptions

    func run() throws {
        let keychain = try CodeKeychain(options)
        let found = try keychain.one(matching: item)
        let code = try keychain.code(of: found).code(at: Date().timeIntervalSince1970)
        if json {
            let text = JSONText.object([
                ("name", .string(found.name)), ("account", .string(found.account)), ("code", .string(code.digits)),
                ("seconds", .number(Int64(code.secondsLeft))),
            ])
            Console.print(text.text() + "\n")
        } else {
            Console.print(code.digits + "\n")
            // A script reads the code alone.
            Console.printError("\(code.secondsLeft) seconds\n")
        }
    }
}

struct ListCodes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what there are codes for, without the codes."
    )

    @OptionGroup var options: CodeOptions

    func run() throws {
        for code in try CodeKeychain(options).all() { Console.print(code.line + "\n") }
    }
}

struct AddCode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a code to a password.",
        discussion: """
            Asks for the address (otpauth://…) that a QR code holds, or the secret that a site shows beside it. The code is \
            for the password of that name, or for itself if there is none. A code that is there already stays as it is.
            """
    )

    @Argument(help: "What is in the password's name, place or account.")
    var item: String

    @Flag(name: .customLong("stdin"), help: "Read the address or the secret from standard input.")
    var readsStandardInput = false

    @OptionGroup var options: CodeOptions

    func run() throws {
        let keychain = try CodeKeychain(options)
        let password = try keychain.password(matching: item)
        let text = try SecretQuestions(readsStandardInput: readsStandardInput).ask(for: "address or secret of the code")
        do {
            let code = try OneTimeCode(text: unsafe text.withUnsafeBytes { unsafe Array($0) })
            try keychain.add(code, to: password, named: item)
        } catch let failure as CodeFailure {
            throw Failure("\(failure.message); nothing was added")
        }
    }
}

struct RemoveCode: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Delete a code.")

    @Argument(help: "What is in the item's name, place or account.")
    var item: String

    @OptionGroup var options: CodeOptions

    func run() throws {
        let keychain = try CodeKeychain(options)
        let found = try keychain.one(matching: item)
        try keychain.remove(found)
        Console.print("The code of \(found.line) is deleted.\n")
    }
}

struct CodeOptions: ParsableArguments {
    @Flag(help: "Have the owner asked whether this may see the items of all programs, where they are kept apart.")
    var all = false
}

/// The codes of the current keychain.
private struct CodeKeychain {
    /// A code or a password, without its secret.
    struct Entry {
        let reference: PersistentReference
        let name: String
        let place: String
        let account: String
        let accessGroup: String
        let isSynchronizable: Bool

        var line: String {
            let parts = [name, place == name ? "" : place, account].filter { !$0.isEmpty }
            return parts.isEmpty ? "(no name)" : TerminalText.escaped(parts.joined(separator: ", "))
        }

        func matches(_ text: String) -> Bool {
            [name, place, account].contains { $0.lowercased().contains(text.lowercased()) }
        }
    }

    private let keychain: any PresenceKeychain
    /// A context with an owner's view; nil where none was asked for.
    private let view: (any PresenceContext)?

    init(_ options: CodeOptions) throws {
        // A keychain without a service keeps nobody apart: its codes are all that are there.
        let own = try ProcessIdentity.current()
        ProcessIdentity.declare(
            Caller(name: own.name, groups: AccessGroups(own.groups.names + ["*"]), ownGroup: own.ownGroup)
        )
        keychain = try CurrentKeychain.presence()
        guard options.all, try !keychain.seesAllGroups() else {
            view = nil
            return
        }
        let context = try keychain.makeContext()
        try context.evaluate(.ownersView)
        view = context
    }

    private func authentication(_ reason: String) -> ItemAuthentication {
        var authentication = ItemAuthentication()
        authentication.prompt.reason = reason
        if let view {
            authentication.context = view
            authentication.isOwners = true
        }
        return authentication
    }

    private func find(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] {
        var request = FindRequest(query: query)
        request.limit = .all
        request.returns = .attributes
        request.authentication = authentication("")
        return try keychain.find(request)
    }

    func all() throws(KeychainError) -> [Entry] {
        try find(CodeItem.all).compactMap { item in
            guard let place = CodeItem.place(of: item.attributes) else { return nil }
            return Entry(item, place: place)
        }
    }

    /// The one code that matches.
    func one(matching text: String) throws -> Entry {
        let found = try all().filter { $0.matches(text) }
        if let one = try Self.one(of: found, kind: "code", text) { return one }
        let isPartial = try view == nil && !keychain.seesAllGroups()
        let hint = isPartial ? "; --all looks at the items of all programs" : ""
        throw Failure("no code has “\(text)” in its name\(hint)")
    }

    /// - Throws: where several match, and none of them by its whole name.
    private static func one(of found: [Entry], kind: String, _ text: String) throws -> Entry? {
        let exact = found.filter { [$0.name, $0.place].contains { $0.lowercased() == text.lowercased() } }
        let left = exact.count == 1 ? exact : found
        guard left.count > 1 else { return left.first }
        for entry in left.prefix(10) { Console.printError("  \(entry.line)\n") }
        throw Failure("more than one \(kind) has “\(text)” in its name; say which of them")
    }

    /// The one password that matches; nil if none does.
    func password(matching text: String) throws -> Entry? {
        var found: [Entry] = []
        for itemClass in [ItemClass.internetPassword, .genericPassword] {
            var query = ItemQuery(itemClass: itemClass)
            query.synchronizable = .any
            found += try find(query).filter { CodeItem.place(of: $0.attributes) == nil }.map { Entry($0, place: nil) }
        }
        return try Self.one(of: found.filter { $0.matches(text) }, kind: "password", text)
    }

    func code(of entry: Entry) throws -> OneTimeCode {
        var request = FindRequest(query: ItemQuery(entry.reference))
        request.returns = .data
        request.authentication = authentication("Show the one-time code of “\(entry.name)”")
        guard let secret = try keychain.find(request).first?.secrets[.valueData] else {
            throw Failure("the code is gone")
        }
        do {
            return try OneTimeCode(stored: secret)
        } catch {
            throw Failure("the item is no code: \(error.message)")
        }
    }

    /// - Throws: a `CodeFailure` for a name that is too long.
    func add(_ code: OneTimeCode, to password: Entry?, named text: String) throws {
        let account = password?.account ?? code.account
        let label = password?.name ?? text
        let place = password?.place ?? (code.issuer.isEmpty ? text : code.issuer)
        var request = CodeItem.request(
            try code.named(issuer: label, account: account),
            for: place,
            account: account,
            label: label
        )
        // In a view nothing is added: it belongs to this program then.
        if let password, try keychain.seesAllGroups() {
            request.accessGroup = password.accessGroup
            request.isSynchronizable = password.isSynchronizable
        }
        do throws(KeychainError) {
            _ = try keychain.add(request)
        } catch {
            guard error.code == .duplicateItem else { throw error }
            throw Failure("there is a code for it already; chatelaine code remove deletes it")
        }
        let whose =
            password.map { "the password \($0.line)" } ?? "“\(TerminalText.escaped(text))”, which has no password here"
        Console.print("A code was added for \(whose).\n")
    }

    func remove(_ entry: Entry) throws(KeychainError) {
        var request = DeleteRequest(query: ItemQuery(entry.reference))
        request.keepsEarlier = true
        request.authentication = authentication("")
        _ = try keychain.delete(request)
    }
}

extension CodeKeychain.Entry {
    fileprivate init(_ item: FoundItem, place: String?) {
        func text(_ key: AttributeKey) -> String? {
            if case .string(let text) = item.attributes[key], !text.isEmpty { text } else { nil }
        }
        reference = item.reference
        self.place = place ?? text(.server) ?? text(.service) ?? ""
        name = text(.label) ?? self.place
        account = text(.account) ?? ""
        accessGroup = text(.accessGroup) ?? ""
        isSynchronizable = item.attributes[.synchronizable] == .integer(1)
    }
}

extension ItemQuery {
    fileprivate init(_ reference: PersistentReference) {
        self.init(itemClass: reference.itemClass)
        self.reference = reference
        synchronizable = .any
    }
}
