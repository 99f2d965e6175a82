import Foundation
import Glibc
import KeychainClient
import Terminal

/// The keychains that are searched, and the one that new items go to, where a command names none
/// (docs/formats/search-list.md).
struct SearchList {
    private(set) var searched: [NamedKeychain]
    private(set) var first: NamedKeychain

    /// What holds where nothing else was said.
    private static let usual = SearchList(searched: [.login], first: .login)

    /// The list of this user's own keychain.
    ///
    /// With the system's service, which keeps programs apart, any program's word on where passwords go counts for nothing.
    ///
    /// - Throws: for a file that cannot be understood, which is never taken for an empty one.
    static func current() throws(Failure) -> SearchList {
        // What is wrong with a variable that names no keychain, the calls themselves say.
        guard !isSystem, !isInMemory, let path = try? file() else { return usual }
        guard let data = FileManager.default.contents(atPath: path) else { return usual }
        guard let stored = try? JSONDecoder().decode(Stored.self, from: data) else { throw unintelligible(path) }
        guard stored.version <= Stored.currentVersion else {
            throw Failure("\(TerminalText.escaped(path)) is of a newer version; use the newer program")
        }
        let searched = stored.search.compactMap(NamedKeychain.init(stored:))
        guard searched.count == stored.search.count, let first = NamedKeychain(stored: stored.default) else {
            throw unintelligible(path)
        }
        return SearchList(searched: searched, first: first)
    }

    private static func unintelligible(_ path: String) -> Failure {
        Failure("\(TerminalText.escaped(path)) cannot be understood; delete it, and set the list anew")
    }

    /// Changes the list, while no other process does.
    static func change(_ body: (inout SearchList) -> Void) throws(Failure) {
        guard !isSystem else {
            throw Failure(
                """
                the keychain service keeps programs apart, and a list that any program can change counts for nothing; name \
                the keychain in each command
                """
            )
        }
        let folder = try NamedKeychain.home()
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw Failure("\(TerminalText.escaped(folder)) cannot be made: \(error.localizedDescription)")
        }
        let lock = unsafe open(folder + "/search-list.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
            throw Failure("\(TerminalText.escaped(folder)) cannot be written")
        }
        defer { close(lock) }
        var list = try current()
        body(&list)
        try list.write()
    }

    func names(_ keychain: NamedKeychain) -> Bool { searched.contains(keychain) || first == keychain }

    mutating func search(_ keychains: [NamedKeychain]) {
        searched = keychains
    }

    mutating func setFirst(_ keychain: NamedKeychain) {
        first = keychain
    }

    mutating func forget(_ keychain: NamedKeychain) {
        searched.removeAll { $0 == keychain }
        if first == keychain { first = .login }
    }

    // MARK: - The file

    private struct Stored: Codable {
        static let currentVersion = 1
        var version = currentVersion
        let `default`: String
        let search: [String]
    }

    private static var isSystem: Bool {
        if case .service(let address)? = try? NamedKeychain.ownLocation() { address.kind == .system } else { false }
    }

    private static var isInMemory: Bool { (try? NamedKeychain.ownLocation()) == .memory }

    private static func file() throws(Failure) -> String { try NamedKeychain.home() + "/search-list.json" }

    private func write() throws(Failure) {
        let path = try Self.file()
        let aside = path + ".new"
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let stored = Stored(default: first.stored, search: searched.map(\.stored))
            try encoder.encode(stored).write(to: URL(filePath: aside))
        } catch {
            throw Failure("\(TerminalText.escaped(path)) cannot be written: \(error.localizedDescription)")
        }
        guard unsafe chmod(aside, 0o600) == 0, unsafe rename(aside, path) == 0 else {
            throw Failure("\(TerminalText.escaped(path)) cannot be written")
        }
    }
}

extension NamedKeychain {
    fileprivate var stored: String {
        switch self {
        case .login: "login"
        case .anchors: "system"
        case .other(let folder): folder
        }
    }

    /// - Returns: nil for what no version writes.
    fileprivate init?(stored: String) {
        switch stored {
        case "login": self = .login
        case "system": self = .anchors
        case let folder where folder.hasPrefix("/"): self = .other(folder: folder)
        default: return nil
        }
    }
}
