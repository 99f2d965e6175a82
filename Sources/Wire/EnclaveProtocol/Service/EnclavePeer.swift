import KeychainModel

/// Who is at the other end of one of the enclave's connections.
final class EnclavePeer {
    enum Role: Equatable {
        /// The keychain service's first connection, which hears of changes.
        case service
        /// One more of the service's, opened by the first one of that number.
        case channel(of: UInt64)
        /// Somebody, known by the kernel's word.
        case owner(uid: UInt32)
        /// Who reads fingers, of all users.
        case prompter
        /// Who looks at the keychain service's callers, and vouches for them.
        case witness
    }

    let number: UInt64
    let socket: PacketSocket
    let role: Role
    /// A request of it is with a worker, and nothing more is read before it is answered.
    var isWaiting = false
    /// The question that its request has opened, and that nobody wants to know any more when it is gone.
    var question: (id: ItemUUID, uid: UInt32)?
    /// Whose prompts it shows.
    var attendance: UInt64?
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
    func check(_ request: EnclaveRequest, about uid: UInt32) throws(KeychainError) {
        switch role {
        case .service:
            // An acknowledgement must not wait behind anything.
            guard request.kind == .openChannel || request.kind == .acknowledge else { throw Self.isOutOfPlace }
        case .channel:
            switch request.kind {
            case .unlock, .changePasscode, .changePasscodeWithToken, .confirmPasscode, .verify, .authorize, .change,
                .attend,
                .answerPasscode, .answerPassword, .decline, .matched, .mismatched, .hint, .saw:
                throw KeychainError(.noPermission, "the keychain service cannot do what is the owner's")
            case .vouch: throw Self.isNoWitness
            case .openChannel, .acknowledge: throw Self.isOutOfPlace
            case .presence, .create, .serviceKeys, .wrap, .unwrap, .rewrap, .beginRotation, .finishRotation, .redeem,
                .backupKey, .sign, .backupSigner, .state, .lock, .logOut, .sleep, .ask, .forget, .presenceStatus,
                .openContext, .closeContext, .makeKey, .useKey:
                break
            }
        case .owner(let own):
            switch request.kind {
            case .unlock, .changePasscode, .changePasscodeWithToken, .confirmPasscode, .verify, .authorize, .change,
                .state, .lock, .logOut, .attend, .answerPasscode, .answerPassword, .decline:
                break
            case .matched, .mismatched, .hint, .saw:
                throw KeychainError(.noPermission, "only a trusted prompter reads fingers")
            case .vouch: throw Self.isNoWitness
            case .presence, .create, .serviceKeys, .wrap, .unwrap, .rewrap, .beginRotation, .finishRotation, .redeem,
                .backupKey, .sign, .backupSigner, .openChannel, .acknowledge, .sleep, .ask, .forget, .presenceStatus,
                .openContext, .closeContext, .makeKey, .useKey:
                throw KeychainError(.noPermission, "only the keychain service may ask the enclave for that")
            }
            guard own == uid || own == 0 else {
                throw KeychainError(.noPermission, "this is another user's keychain")
            }
        case .prompter:
            switch request.kind {
            case .attend, .matched, .mismatched, .hint, .saw, .decline, .answerPasscode, .answerPassword: break
            default: throw KeychainError(.noPermission, "who reads fingers does nothing else")
            }
        case .witness:
            guard request.kind == .vouch else {
                throw KeychainError(.noPermission, "who vouches for callers does nothing else")
            }
        }
    }

    private static let isNoWitness = KeychainError(.noPermission, "only chatelaine-identify vouches for callers")

    private static let isOutOfPlace = KeychainError(
        .noPermission,
        "this belongs on another of the service's connections"
    )
}
