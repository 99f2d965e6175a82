import EnclaveInterface
import Glibc
import KeychainAccounts
import KeychainModel
import KeychainSystem
import TPMEnclave

/// The few options of chatelaine-enclave.
struct EnclaveOptions {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// The user and group that it runs as.
    let uid: UInt32
    let gid: UInt32
    /// The keychain service's user, who alone may connect as the service.
    let server: UInt32?
    /// The user of chatelaine-prompt, who alone is believed about fingers.
    let prompter: UInt32?
    /// The user of chatelaine-identify, which alone may say which program asks.
    let witness: UInt32?
    let directory: String
    /// The TPM that device keys are sealed by, where it is there.
    let tpm: TPMSetting
    /// Where the service is connected, by the process that started this one.
    let connected: Int32?
    /// Where the service connects.
    let serviceListener: Int32?
    /// Where owners connect.
    let ownerListener: Int32?

    init(_ arguments: some Sequence<String>) throws {
        var uid: UInt32?
        var gid: UInt32?
        var server: UInt32?
        var prompter: UInt32?
        var witness: UInt32?
        var connected: Int32?
        var owners: Int32?
        var tpm = TPMSetting.automatic
        var directory = EnclavePlaces.directory
        var rest = Array(arguments)[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Refusal(description: "\(option) needs a value") }
            switch option {
            case "--user": (uid, gid) = try Self.user(value)
            case "--server": server = try Self.user(value).uid
            case "--prompter": prompter = try Self.user(value).uid
            case "--witness": witness = try Self.user(value).uid
            case "--directory": directory = value
            case "--tpm": tpm = try TPMSetting(value)
            case "--descriptor": connected = Int32(value)
            case "--owners": owners = Int32(value)
            default: throw Refusal(description: "unknown option \(option)")
            }
        }
        let handedOver = Dictionary(HandedSockets.take().map { ($0.name, $0.number) }) { first, _ in first }
        self.uid = uid ?? geteuid()
        self.gid = gid ?? getegid()
        self.server = server
        self.prompter = prompter
        self.witness = witness
        self.directory = directory
        self.tpm = tpm
        self.connected = connected
        serviceListener = handedOver["service"]
        ownerListener = owners ?? handedOver["control"]
        guard connected != nil || (serviceListener != nil && server != nil) else {
            throw Refusal(
                description: "needs --descriptor N, or --server USER and sockets from systemd; chatelained starts it"
            )
        }
        guard self.uid != 0 else { throw Refusal(description: "does not run as root; name another user by --user") }
    }

    /// A name or a number; a number's group is the same number, unless the user is known.
    private static func user(_ text: String) throws(Refusal) -> (uid: UInt32, gid: UInt32) {
        guard let account = UserAccount(nameOrNumber: text) else {
            throw Refusal(description: "there is no user \(text)")
        }
        return (account.uid, account.gid)
    }
}
