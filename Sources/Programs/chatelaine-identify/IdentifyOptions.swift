import Glibc
import KeychainAccounts
import KeychainSystem
import PeerIdentity

/// The few options of chatelaine-identify.
struct IdentifyOptions {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// The user and group that it runs as.
    let uid: UInt32
    let gid: UInt32
    /// Where the server's questions come from.
    let source: Source
    /// What the enclave is told of callers; nil without a group that marks installed programs.
    let testimony: AskerTestimony?

    enum Source {
        /// A socket that the process that started this one has connected.
        case connected(Int32)
        /// A listener that systemd handed over, and the user that may connect to it.
        case listener(Int32, server: UInt32)
    }

    init(_ arguments: some Sequence<String>) throws {
        var uid: UInt32?
        var gid: UInt32?
        var server: UInt32?
        var connected: Int32?
        var enclave = "/run/chatelaine/enclave.sock"
        var markerGroup: UInt32?
        var rest = Array(arguments)[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Refusal(description: "\(option) needs a value") }
            switch option {
            case "--user": (uid, gid) = try Self.user(value)
            case "--server": server = try Self.user(value).uid
            case "--enclave": enclave = value
            case "--marker-group": markerGroup = try Self.group(value)
            case "--descriptor": connected = Int32(value)
            default: throw Refusal(description: "unknown option \(option)")
            }
        }
        self.uid = uid ?? geteuid()
        self.gid = gid ?? getegid()
        testimony = markerGroup.map { AskerTestimony(enclave: enclave, markerGroup: $0) }
        if let connected {
            source = .connected(connected)
        } else if let server, case let sockets = HandedSockets.take(), sockets.count == 1, let listener = sockets.first
        {
            source = .listener(listener.number, server: server)
        } else {
            throw Refusal(
                description: "needs --descriptor N, or --server USER and a socket from systemd; chatelained starts it"
            )
        }
    }

    private static func group(_ text: String) throws(Refusal) -> UInt32 {
        if let number = UInt32(text) { return number }
        guard let gid = GroupAccount.gid(named: text) else { throw Refusal(description: "there is no group \(text)") }
        return gid
    }

    /// A name or a number; a number's group is the same number, unless the user is known.
    private static func user(_ text: String) throws(Refusal) -> (uid: UInt32, gid: UInt32) {
        guard let account = UserAccount(nameOrNumber: text) else {
            throw Refusal(description: "there is no user \(text)")
        }
        return (account.uid, account.gid)
    }
}
