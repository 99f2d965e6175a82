import Glibc
package import KeychainEnclave
package import KeychainModel
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
    /// - Throws: `notAvailable` where nobody listens.
    package init(
        connectingTo path: String,
        uid: UInt32 = geteuid(),
        server: UInt32? = nil
    ) throws(KeychainError) {
        socket = try PacketSocket(connectingTo: path, within: Self.patience)
        self.uid = uid
        // Nothing was sent so far, and no passcode goes to whoever else listens.
        if let server, socket.peer != server, socket.peer != 0 {
            throw KeychainError(.notAvailable, "who listens at \(path) is not the enclave")
        }
    }

    package func state() throws(KeychainError) -> EnclaveState {
        guard case .state(let state) = try ask(.state) else { throw EnclaveConnection.isNoAnswer }
        return state
    }

    package func unlock(_ passcode: SecretBytes) throws(KeychainError) {
        try done(.unlock(passcode))
    }

    package func lock() throws(KeychainError) {
        try done(.lock)
    }

    package func logOut() throws(KeychainError) {
        try done(.logOut)
    }

    package func changePasscode(
        from old: SecretBytes?,
        to new: SecretBytes?,
        with token: AuthorizationToken?
    ) throws(KeychainError) {
        try done(.changePasscode(from: old, to: new, with: token))
    }

    package func confirmPasscode(_ passcode: SecretBytes, with token: AuthorizationToken?) throws(KeychainError) {
        try done(.confirmPasscode(passcode, with: token))
    }

    package func verify(_ passcode: SecretBytes) throws(KeychainError) {
        try done(.verify(passcode))
    }

    package func authorize(
        _ operation: GuardedOperation,
        passcode: SecretBytes?
    ) throws(KeychainError) -> AuthorizationToken {
        guard case .token(let token) = try ask(.authorize(operation, passcode: passcode)) else {
            throw EnclaveConnection.isNoAnswer
        }
        return token
    }

    package func change(
        _ settings: LockSettings,
        passcode: SecretBytes?,
        with token: AuthorizationToken?
    ) throws(KeychainError) {
        try done(.change(settings, passcode: passcode, with: token))
    }

    private func answer(_ request: EnclaveRequest) throws(KeychainError) -> PromptAnswer {
        guard case .answer(let answer) = try ask(request) else { throw EnclaveConnection.isNoAnswer }
        return answer
    }

    private func done(_ request: EnclaveRequest) throws(KeychainError) {
        guard case .done = try ask(request) else { throw EnclaveConnection.isNoAnswer }
    }

    private func ask(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
        // One question at a time: an owner has no more.
        try isBusy.withLock { _ in
            Result { () throws(KeychainError) in try exchange(request) }
        }.get()
    }

    private func exchange(_ request: EnclaveRequest) throws(KeychainError) -> EnclaveReply {
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
        let (header, reply) = try EnclaveReply.decode(buffer[..<count])
        guard header.id == 1, header.uid == uid else { throw EnclaveConnection.isNoAnswer }
        if case .failure(let error) = reply { throw error }
        return reply
    }
}

// MARK: - A prompter's part

extension RemoteEnclaveControl: PromptDesk {
    package func answer(_ id: ItemUUID, passcode: SecretBytes) throws(KeychainError) -> PromptAnswer {
        try answer(.answerPasscode(passcode, to: id))
    }

    package func answer(_ id: ItemUUID, password: SecretBytes) throws(KeychainError) -> PromptAnswer {
        try answer(.answerPassword(password, to: id))
    }

    package func decline(
        _ id: ItemUUID,
        because failure: PresenceFailure,
        of abilities: PrompterAbilities
    ) throws(KeychainError) {
        try done(.decline(id, because: failure, of: abilities))
    }

    /// Has prompts come over this connection, and hands them on until it ends. Nothing else can be asked here then.
    ///
    /// - Throws: `notAvailable` where the enclave has gone.
    package func attend(_ prompter: any Prompter, for abilities: PrompterAbilities) throws(KeychainError) {
        try attend(for: abilities) { (about) throws(KeychainError) in
            guard about == uid else { throw EnclaveConnection.isNoAnswer }
            return prompter
        }
    }

    /// The same for all users, for one whom the enclave trusts to read fingers.
    ///
    /// - Parameter prompter: the one for a user, by uid.
    package func attend(
        for abilities: PrompterAbilities,
        _ prompter: (UInt32) throws(KeychainError) -> any Prompter
    ) throws(KeychainError) {
        try done(.attend(abilities))
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
            case .look: prompter.look()
            }
        }
    }
}

extension RemoteEnclaveControl: BiometryDesk {
    package func matched(_ id: ItemUUID) throws(KeychainError) -> PromptAnswer {
        try answer(.matched(id))
    }

    package func mismatched(_ id: ItemUUID) throws(KeychainError) -> PromptAnswer {
        try answer(.mismatched(id))
    }

    package func hint(_ id: ItemUUID, _ hint: FingerHint) throws(KeychainError) {
        try done(.hint(id, hint))
    }

    package func saw(_ sight: BiometryState) throws(KeychainError) {
        try done(.saw(sight))
    }
}
