import ArgumentParser
import KeePassImport
import KeychainClient
import KeychainModel
import PasswordImport
import Terminal

struct ImportPasswords: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the passwords that another program has exported.",
        discussion: """
            Takes comma-separated values (Apple's Passwords, KeePassXC, Bitwarden, browsers), the XML of KeePassXC, the JSON \
            of Bitwarden and the Credential Exchange Format (cxf). The items belong to this program's access group, or the one that is named. Passwords that are there already stay as \
            they are. One-time codes become items of their own, which chatelaine code shows. \
            The file is not encrypted: delete it afterwards. To import from gnome-keyring or KWallet, use \
            chatelaine secrets import.
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv
        case xml
        case json
        case cxf
    }

    @Option(help: "The file's format, if it cannot be detected.")
    var format: Format?

    @Option(name: .customLong("access-group"), help: "The access group of the items.")
    var accessGroup: String?

    @Flag(name: .customLong("dry-run"), help: "Add nothing, and say what would be added.")
    var isDryRun = false

    @Argument(help: "The file.")
    var file: String

    func run() throws {
        let (requests, codes) = try requests()
        if isDryRun {
            for request in requests { Console.print("add     \(Self.line(request))\n") }
            for code in codes { Console.print("add     \(Self.line(code)), one-time code\n") }
            Console.print("\(requests.count) would be added, but for those that are there already.\n")
            return
        }
        let keychain = try CurrentKeychain.service()
        var added = 0
        var present = 0
        var others: [String] = []
        for request in requests {
            do throws(KeychainError) {
                _ = try keychain.add(request)
                added += 1
            } catch {
                guard error.code == .duplicateItem else {
                    throw Failure("\(Self.line(request)): \(error.message); \(added) were added before it")
                }
                if try keychain.hasPassword(of: request) { present += 1 } else { others.append(Self.line(request)) }
            }
        }
        let addedCodes = try add(codes, to: keychain, &others)
        Console.print("\(added) added\n")
        if addedCodes > 0 { Console.print("\(addedCodes) one-time codes added\n") }
        if present > 0 { Console.print("\(present) there already\n") }
        if !others.isEmpty {
            Console.printError("Not added, since there is another one for the same place and user already:\n")
            for line in others { Console.printError("  \(line)\n") }
        }
        Console.printError("\(TerminalText.escaped(file)) is not encrypted: delete it.\n")
    }

    /// Those that are there already stay as they are.
    ///
    /// - Parameter others: takes what could not be added, since there is another code.
    /// - Returns: how many were added.
    private func add(_ codes: [AddRequest], to keychain: any KeychainService, _ others: inout [String]) throws -> Int {
        var added = 0
        for request in codes {
            do throws(KeychainError) {
                _ = try keychain.add(request)
                added += 1
            } catch {
                guard error.code == .duplicateItem else {
                    throw Failure("the one-time code of \(Self.line(request)): \(error.message)")
                }
                if try !keychain.hasPassword(of: request) { others.append("\(Self.line(request)), one-time code") }
            }
        }
        return added
    }

    private func requests() throws -> (passwords: [AddRequest], codes: [AddRequest]) {
        do {
            let read = try read()
            func grouped(_ request: AddRequest) -> AddRequest {
                var request = request
                request.accessGroup = accessGroup
                return request
            }
            // A code may stand by itself.
            let passwords = read.filter { $0.code == nil || $0.password.count > 0 }
            return (passwords.map { grouped($0.request) }, read.compactMap(\.codeRequest).map(grouped))
        } catch let failure as ImportFailure {
            throw Failure(failure.message)
        }
    }

    private static let largestFile = 256 << 20

    private func read() throws -> [ImportedPassword] {
        let bytes = try InputFile(file).contents(largest: Self.largestFile)
        let passwords =
            switch format ?? Self.format(of: bytes) {
            case .csv: try PasswordCSV.read(bytes)
            case .xml: try KeePassXML.read(bytes)
            case .json: try BitwardenJSON.read(bytes)
            case .cxf: try passwords(in: CXF.read(bytes))
            }
        Self.sayWhatIsLost(of: passwords)
        return passwords.filter(\.isTaken)
    }

    /// The passwords alone: the passkeys belong to another program, as the keychain tells programs apart.
    private func passwords(in contents: CXFContents) -> [ImportedPassword] {
        let count = contents.passkeys.count
        if count > 0 {
            Console.printError(
                "The file has \(count == 1 ? "a passkey" : "\(count) passkeys"), not added here: "
                    + "run chatelaine passkeys import \(TerminalText.escaped(file))\n"
            )
        }
        return contents.passwords
    }

    /// By name, each with the number of entries that have it, and whose they are.
    private static func sayWhatIsLost(of passwords: [ImportedPassword]) {
        var owners: [(name: String, entries: [String])] = []
        func note(_ name: String, _ password: ImportedPassword) {
            let entry = line(password.request)
            if let index = owners.firstIndex(where: { $0.name == name }) {
                owners[index].entries.append(entry)
            } else if owners.count < mostNames {
                owners.append((name, [entry]))
            } else {
                others += 1
            }
        }
        var others = 0
        for password in passwords {
            if password.isDeleted {
                note("entries in the recycle bin", password)
            } else if let kind = password.refusal {
                note(kind, password)
            }
        }
        for password in passwords where password.isTaken {
            for name in password.lost { note(name, password) }
        }
        guard !owners.isEmpty else { return }
        Console.printError("Not taken:\n")
        for (name, entries) in owners {
            let listed = entries.prefix(mostEntries).joined(separator: "; ")
            let more = entries.count > mostEntries ? "; and \(entries.count - mostEntries) more" : ""
            Console.printError("  \(TerminalText.escaped(name)), of \(entries.count): \(listed)\(more)\n")
        }
        if others > 0 { Console.printError("  \(others) values of other names\n") }
    }

    private static let mostEntries = 5
    private static let mostNames = 20

    private static func format(of bytes: [UInt8]) -> Format {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        return switch text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
        case UInt8(ascii: "<"): .xml
        case UInt8(ascii: "{"): CXF.recognizes(bytes) ? .cxf : .json
        default: .csv
        }
    }

    private static func line(_ request: AddRequest) -> String {
        func text(_ key: AttributeKey) -> String? {
            if case .string(let text) = request.attributes[key] { text } else { nil }
        }
        let parts = [text(.label) ?? text(.server) ?? text(.service), text(.account)].compactMap { $0 }.filter {
            !$0.isEmpty
        }
        return TerminalText.escaped(parts.joined(separator: ", "))
    }
}

extension KeychainService {
    /// Whether the password of an item that could not be added is there already, in the item that stood in its way.
    fileprivate func hasPassword(of request: AddRequest) throws(KeychainError) -> Bool {
        guard let password = request.secrets[.valueData] else { return true }
        var search = FindRequest(query: ItemQuery(itemClass: request.itemClass))
        for key: AttributeKey in [.account, .service, .server, .networkProtocol, .port, .path] {
            search.query.filters[key] = request.attributes[key]
        }
        search.query.accessGroup = request.accessGroup
        search.limit = .all
        search.returns = .data
        // Nobody is asked for a password that is only compared.
        search.authentication.ui = .skip
        return try find(search).contains { $0.secrets[.valueData]?.isEqual(to: password) == true }
    }
}
