import Foundation
import Glibc
import KeychainClient
import KeychainModel
import Security
import Terminal

/// A keychain of a command line: the user's own, another one, or the system's anchors.
enum NamedKeychain: Hashable {
    /// The one that `CHATELAINE_KEYCHAIN` names, or else the user's own.
    case login
    /// An embedded keychain in a folder of its own.
    case other(folder: String)
    /// The certificates that the system trusts. They are read and nothing else.
    case anchors

    /// The keychain that a name or a path means.
    ///
    /// - Throws: `errSecNoSuchKeychain` for one that is not there. A word that no keychain's name looks like is an error of
    ///   the command line: it may be a part of a password, so it is not repeated.
    init(_ name: String, for call: String) throws(Failure) {
        if let known = try Self.known(name) {
            self = known
            return
        }
        let folder = try Self.folder(of: name)
        if Self.isOwn(folder) {
            self = .login
        } else if Self.isKeychain(folder) {
            self = .other(folder: folder)
        } else if name.contains("/") || Self.stem(name) != nil {
            throw Failure("\(call) \(TerminalText.escaped(name))", errSecNoSuchKeychain)
        } else {
            throw Failure(
                "an argument is neither an option nor a keychain; does a value need quotes, or an option before it?",
                exitStatus: Console.usageStatus
            )
        }
    }

    /// The keychain of a name that always means the same: alone, in the folders that a Mac has for keychains, or as `path`
    /// prints it. In another folder it is a keychain's like any other.
    static func known(_ name: String) throws(Failure) -> NamedKeychain? {
        let last = name.split(separator: "/").last.map(String.init) ?? ""
        let isInPlace =
            name == last || name.hasSuffix("/Library/Keychains/" + last) || name == (try? home() + "/" + last)
        guard isInPlace else { return nil }
        switch last {
        case "login", "login.keychain", "login.keychain-db": return .login
        case "default", "default.keychain": return try SearchList.current().first
        case "System", "System.keychain", "SystemRootCertificates.keychain": return .anchors
        default: return nil
        }
    }

    /// Where the keychain of a name is: `build` and `build.keychain` are `build.keychain-db`, as on a Mac, in the folder of
    /// the user's other keychains.
    static func folder(of name: String) throws(Failure) -> String {
        let path = name.contains("/") ? URL(filePath: name).standardizedFileURL.path : try home() + "/" + name
        return (stem(path) ?? path) + ".keychain-db"
    }

    /// The folder of the other keychains: beside the user's own.
    static func home() throws(Failure) -> String {
        do throws(KeychainError) {
            switch try ownLocation() {
            case .embedded(let folder): return URL(filePath: folder).standardizedFileURL.path + ".d"
            case .service: return try KeychainLocation.personalFolder() + ".d"
            case .memory:
                throw KeychainError(.notAvailable, "beside a keychain in memory there are no others")
            }
        } catch {
            throw Failure(TerminalText.escaped(error.message))
        }
    }

    /// Where the user's own keychain is, whichever is in use.
    static func ownLocation() throws(KeychainError) -> KeychainLocation {
        KeychainLocation.use(nil)
        return try KeychainLocation.current()
    }

    /// Whether a folder is the one that the variable names.
    private static func isOwn(_ folder: String) -> Bool {
        guard case .embedded(let own)? = try? ownLocation() else { return false }
        var (here, there) = (stat(), stat())
        return unsafe lstat(folder, &here) == 0 && stat(own, &there) == 0 && here.st_dev == there.st_dev
            && here.st_ino == there.st_ino
    }

    /// Whether a keychain is in a folder. A link does not count: in a folder that others can write, they could make a name
    /// lead to another keychain of this user's, which a script then deletes.
    static func isKeychain(_ folder: String) -> Bool {
        var status = stat()
        return unsafe lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && access(folder + "/keybag", F_OK) == 0
    }

    private static func stem(_ name: String) -> String? {
        for ending in [".keychain-db", ".keychain"] where name.hasSuffix(ending) {
            return String(name.dropLast(ending.count))
        }
        return nil
    }

    /// What scripts are shown, and may hand back.
    func path() throws(Failure) -> String {
        switch self {
        case .login: try Self.home() + "/login.keychain-db"
        case .other(let folder): folder
        case .anchors: "/Library/Keychains/System.keychain"
        }
    }

    /// Has the calls that follow use this keychain.
    func select() {
        switch self {
        case .login, .anchors: KeychainLocation.use(nil)
        case .other(let folder): KeychainLocation.use(.embedded(directory: folder))
        }
    }
}
