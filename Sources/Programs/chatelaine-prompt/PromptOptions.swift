import EnclaveInterface
import FingerprintReader
import Glibc
import KeychainAccounts

/// The few options of chatelaine-prompt.
struct PromptOptions {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// The user and group that it runs as.
    let uid: UInt32
    let gid: UInt32
    /// The enclave's user, who alone is told what was read, besides root.
    let server: UInt32
    let socket: String
    let templates: String
    /// What asks for passcodes too, where no agent of the user's does; nil for nothing.
    let pinentry: String?

    init(_ arguments: some Sequence<String>) throws {
        var user = (uid: geteuid(), gid: getegid())
        var server = EnclavePlaces.user
        var socket = EnclavePlaces.controlSocket
        var templates = EnrolledTemplates.systemFolder
        var pinentry: String?
        var rest = Array(arguments)[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Refusal(description: "\(option) needs a value") }
            switch option {
            case "--user": user = try Self.user(value)
            case "--server": server = value
            case "--socket": socket = value
            case "--templates": templates = value
            case "--pinentry": pinentry = value
            default: throw Refusal(description: "unknown option \(option)")
            }
        }
        (uid, gid) = user
        self.server = try Self.user(server).uid
        self.socket = socket
        self.templates = templates
        self.pinentry = pinentry
        guard pinentry?.hasPrefix("/") ?? true else { throw Refusal(description: "--pinentry takes a whole path") }
        guard uid != 0 else { throw Refusal(description: "does not run as root; name another user by --user") }
    }

    /// A name or a number; a number's group is the same number, unless the user is known.
    private static func user(_ text: String) throws(Refusal) -> (uid: UInt32, gid: UInt32) {
        guard let account = UserAccount(nameOrNumber: text) else {
            throw Refusal(description: "there is no user \(text)")
        }
        return (account.uid, account.gid)
    }
}
