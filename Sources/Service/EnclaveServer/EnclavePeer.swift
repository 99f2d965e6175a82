import EnclaveInterface
import KeychainModel
import KeychainSystem

/// The process at the other end of one of the enclave's connections.
final class EnclavePeer {
    enum Role: Equatable {
        /// The keychain service's first connection, which hears of changes.
        case service
        /// One more of the service's, opened by the first one of that number.
        case channel(of: UInt64)
        /// A process, identified by the kernel.
        case owner(uid: UInt32)
        /// The reader of fingers, for all users.
        case prompter
        /// The process that identifies the keychain service's callers, and vouches for them.
        case witness
    }

    let number: UInt64
    let socket: PacketSocket
    let role: Role
    /// A request of it is with a worker, and nothing more is read before it is answered.
    var isWaiting = false
    /// The question that its request has opened, which is withdrawn when the peer is gone.
    var question: (id: ItemUUID, uid: UInt32)?
    /// The key of its prompter's registration.
    var registration: UInt64?
    /// An owner who had no keychain when it connected.
    var isStranger = false

    init(number: UInt64, socket: PacketSocket, role: Role) {
        self.number = number
        self.socket = socket
        self.role = role
    }

    /// What it asks for is of this connection of the service's, or else of its own.
    var connection: UInt64 {
        if case .channel(let first) = role { first } else { number }
    }

    /// Whether a request may come from here.
    ///
    /// - Throws: `noPermission` with what is wrong about it.
    func check(_ request: any EnclaveRequest.Type, about uid: UInt32) throws(KeychainError) {
        guard !request.senders.isDisjoint(with: role.senders) else {
            throw KeychainError(.noPermission, role.refusal(of: request.senders))
        }
        if case .owner(let own) = role, own != uid, own != 0 {
            throw KeychainError(.noPermission, "this is another user's keychain")
        }
    }
}

extension EnclavePeer.Role {
    fileprivate var senders: RequestSenders {
        switch self {
        case .service: .firstConnection
        case .channel: .service
        case .owner(uid: 0): [.owner, .root]
        case .owner: .owner
        case .prompter: .trustedPrompter
        case .witness: .witness
        }
    }

    /// Why a request is refused that others may send.
    fileprivate func refusal(of senders: RequestSenders) -> String {
        switch self {
        case .prompter: "the prompter that reads fingers does nothing else"
        case .witness: "the program that vouches for callers does nothing else"
        // An acknowledgement must not wait behind anything.
        case .service: "this belongs on another of the service's connections"
        case .channel where senders == .firstConnection: "this belongs on another of the service's connections"
        case .channel where senders == .witness: "only chatelaine-identify vouches for callers"
        case .channel: "the keychain service cannot do what is the owner's"
        case .owner where senders == .witness: "only chatelaine-identify vouches for callers"
        case .owner where senders == .root: "only root tells of the session"
        case .owner where senders == .trustedPrompter: "only a trusted prompter reads fingers"
        case .owner: "only the keychain service may ask the enclave for that"
        }
    }
}
