package import EnclaveInterface
import Glibc
package import KeychainModel
import KeychainSystem
import Synchronization

/// What the owner does with an enclave, over the socket for owners. The passcode goes to the enclave's own process (in
/// session mode the service's), and to no other.
package final class RemoteEnclaveControl: EnclaveControl {
    private let socket: PacketSocket
    private let uid: UInt32
    private let isBusy = Mutex<Bool>(false)

    /// The enclave checks one passcode at a time, and others may be before this one.
    private static let patience: Duration = .seconds(120)

    /// - Parameters:
    ///   - path: of the socket, `EnclavePlaces.controlSocketName`.
    ///   - uid: whose keychain; only root may name another user's than its own.
    ///   - server: who has to be listening, besides root; nil where the socket's folder says enough.
    /// - Throws: `notAvailable` where no process listens.
    package init(
        connectingTo path: String,
        uid: UInt32 = geteuid(),
        server: UInt32? = nil
    ) throws(KeychainError) {
        socket = try KeychainError.translating("the enclave cannot be reached at \(path)") {
            try PacketSocket(connectingTo: path, within: Self.patience)
        }
        self.uid = uid
        // Nothing was sent so far, and no passcode goes to another listener.
        if let server, socket.peer?.uid != server, socket.peer?.uid != 0 {
            throw KeychainError(.notAvailable, "the process that listens at \(path) is not the enclave")
        }
    }

    package func answer<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Answer {
        // One question at a time: an owner has no more.
        try isBusy.withLock { _ in
            Result { () throws(KeychainError) in try exchange(request) }
        }.get()
    }

    private func exchange<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Answer {
        var message = try request.encoded(id: 1, uid: uid)
        let sent = socket.send(message)
        wipe(&message)
        guard sent == .done else { throw EnclaveConnection.isGone }
        var buffer = [UInt8](repeating: 0, count: EnclaveMessage.largest)
        let (outcome, count, _) = socket.receive(into: &buffer)
        defer { wipe(&buffer) }
        guard outcome == .done else {
            throw outcome == .late
                ? KeychainError(.notAvailable, "the enclave has not answered in time") : EnclaveConnection.isGone
        }
        let reply = try EnclaveReply(buffer[..<count], to: Request.self)
        guard reply.header.id == 1, reply.header.uid == uid else { throw EnclaveFailure.otherAnswer }
        return try request.completing(reply.result).get()
    }
}

// MARK: - A prompter's part

extension RemoteEnclaveControl: PromptDesk {
    package func answer(_ id: ItemUUID, typed secret: SecretBytes) throws(KeychainError) -> PromptAnswer {
        try answer(AnswerPasscodeRequest(secret, to: id))
    }

    package func answer(_ id: ItemUUID, password: SecretBytes) throws(KeychainError) -> PromptAnswer {
        try answer(AnswerPasswordRequest(password, to: id))
    }

    package func decline(
        _ id: ItemUUID,
        because failure: PresenceFailure,
        of abilities: PrompterAbilities
    ) throws(KeychainError) {
        try answer(DeclineRequest(id, because: failure, of: abilities))
    }

    /// Has prompts come over this connection, and hands them on until it ends. Nothing else can be asked here then.
    ///
    /// - Throws: `notAvailable` where the enclave has gone.
    package func showPrompts(by prompter: any Prompter, for abilities: PrompterAbilities) throws(KeychainError) {
        try showPrompts(for: abilities) { (about) throws(KeychainError) in
            guard about == uid else { throw EnclaveFailure.otherAnswer }
            return prompter
        }
    }

    /// The same for all users, for one whom the enclave trusts to read fingers.
    ///
    /// - Parameter prompter: the one for a user, by uid.
    package func showPrompts(
        for abilities: PrompterAbilities,
        _ prompter: (UInt32) throws(KeychainError) -> any Prompter
    ) throws(KeychainError) {
        try answer(RegisterPrompterRequest(abilities))
        socket.limit(receiving: .zero, sending: Self.patience)
        var buffer = [UInt8](repeating: 0, count: EnclaveMessage.largest)
        while true {
            let (outcome, count, _) = socket.receive(into: &buffer)
            guard outcome == .done else { throw EnclaveConnection.isGone }
            let (about, event) = try PrompterEvent.decode(buffer[..<count])
            let prompter = try prompter(about)
            switch event {
            case .prompt(let prompt): prompter.show(prompt)
            case .withdrawal(let question): prompter.withdraw(question)
            case .stateRequest(let factor): prompter.report(factor)
            }
        }
    }
}

extension RemoteEnclaveControl: ReaderDesk {
    package func matched(_ id: ItemUUID, by factor: PresenceFactors) throws(KeychainError) -> PromptAnswer {
        try answer(MatchedRequest(id, by: factor))
    }

    package func mismatched(_ id: ItemUUID, by factor: PresenceFactors) throws(KeychainError) -> PromptAnswer {
        try answer(MismatchedRequest(id, by: factor))
    }

    package func hint(_ id: ItemUUID, _ hint: ReaderHint, by factor: PresenceFactors) throws(KeychainError) {
        try answer(ReaderHintRequest(id, hint, by: factor))
    }

    package func take(_ state: ReaderState, of factor: PresenceFactors) throws(KeychainError) {
        try answer(ReaderStateRequest(state, of: factor))
    }
}
