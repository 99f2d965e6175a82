import Foundation
import Glibc
import KeychainClient
import KeychainSystem
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
        guard let data = try contents(of: path) else { return usual }
        guard let version = try? JSONDecoder().decode(Version.self, from: data).version else {
            throw unintelligible(path)
        }
        guard version <= Stored.currentVersion else {
            throw Failure("\(TerminalText.escaped(path)) is of a newer version; use the newer program")
        }
        guard let stored = try? JSONDecoder().decode(Stored.self, from: data) else { throw unintelligible(path) }
        let searched = stored.search.compactMap(NamedKeychain.init(stored:))
        guard searched.count == stored.search.count, let first = NamedKeychain(stored: stored.default) else {
            throw unintelligible(path)
        }
        return SearchList(searched: searched, first: first)
    }

    /// - Returns: nil where there is no file.
    /// - Throws: for one that cannot be read, is a link, or belongs to somebody else.
    private static func contents(of path: String) throws(Failure) -> Data? {
        do throws(SystemError) {
            let file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            let stamp = try file.stamp()
            guard stamp.owner == geteuid(), stamp.isFile else { throw SystemError(EPERM, path) }
            return Data(try file.prefix(largest))
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            throw refusal(path, error.code)
        }
    }

    private static let largest = 1 << 20

    private static func refusal(_ path: String, _ reason: Int32) -> Failure {
        Failure("\(SystemError(reason, TerminalText.escaped(path)))")
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
        try KeychainFolder.makeParents(of: folder, titled: TerminalText.escaped(folder))
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST { throw refusal(folder, errno) }
        // Nobody else may write there: what is made in it could be a link of theirs.
        guard let stamp = FileStamp.ofFile(folder), stamp.isFolder, stamp.owner == geteuid(), !stamp.isWritableToOthers
        else { throw refusal(folder, EPERM) }
        let lock: Descriptor
        do throws(SystemError) {
            lock = try Descriptor(opening: folder + "/search-list.lock", O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            try lock.lock()
        } catch {
            throw refusal(folder, error.code)
        }
        defer { withExtendedLifetime(lock) {} }
        var list = try current()
        body(&list)
        try list.write()
    }

    /// Those that are searched and still there.
    var present: [NamedKeychain] {
        searched.filter {
            if case .other(let folder) = $0 { NamedKeychain.isKeychain(folder) } else { true }
        }
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

    private struct Version: Decodable { let version: Int }

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
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let stored = Stored(default: first.stored, search: searched.map(\.stored))
            let file = try NewFile(beside: path, mode: 0o600, isNamed: true)
            try file.write(Array(encoder.encode(stored)))
            try file.commit(replacing: true, lasting: false)
        } catch {
            throw Failure(
                "\(TerminalText.escaped(path)) cannot be written: \((error as? SystemError)?.reason ?? "\(error)")"
            )
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
