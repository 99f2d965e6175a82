package import KeychainEnclave
package import KeychainModel
import KeychainVault

/// Does a call, has its owner asked for what the call lacks, and does it again.
package struct PresenceRounds: Sendable {
    private let asker: Asker
    private let session: PresenceSession?
    private let enclave: @Sendable () throws(KeychainError) -> any Enclave
    private let isWanted: @Sendable () -> Bool

    /// A call asks for one thing after the other; more than this is no call that anybody makes.
    private static let most = 20
    private static let mostPasswords = 3

    /// - Parameters:
    ///   - session: of the call's context; without one, what is proved is good for this call alone.
    ///   - isWanted: whether somebody still waits for the call.
    package init(
        for asker: Asker,
        in session: PresenceSession?,
        enclave: @escaping @Sendable () throws(KeychainError) -> any Enclave,
        isWanted: @escaping @Sendable () -> Bool
    ) {
        self.asker = asker
        self.session = session
        self.enclave = enclave
        self.isWanted = isWanted
    }

    /// - Parameters:
    ///   - willAsk: called before each question.
    ///   - body: does the call; nothing may be held while it does not run.
    package func perform<Value>(
        _ authentication: ItemAuthentication,
        willAsk: () throws(KeychainError) -> Void = { () throws(KeychainError) in },
        _ body: (ItemAuthentication) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        var authentication = authentication
        authentication.proofs = session?.proofs ?? []
        var own: [PresenceProof] = []
        defer { if !own.isEmpty, session == nil, let enclave = try? enclave() { own.forEach(enclave.forget) } }
        var asked: (need: PresenceNeed, proof: PresenceProof)?
        var passwords = 0
        for _ in 0..<Self.most {
            let need: PresenceNeed
            var isRepeated = false
            do throws(KeychainError) {
                return try body(authentication)
            } catch {
                if let lacking = error.need {
                    need = lacking
                } else if error.code == .authenticationFailed, error.presence == nil, let last = asked,
                    last.need.password == .existing, passwords < Self.mostPasswords
                {
                    // What was typed was wrong.
                    need = last.need
                    isRepeated = true
                    authentication.proofs.removeAll { $0 == last.proof }
                    session?.forget(last.proof)
                } else {
                    throw error
                }
                guard authentication.ui == .allow else { throw PresenceFailure.notInteractive.error }
            }
            try willAsk()
            let proof = try enclave().ask(
                PresenceQuestion(
                    of: asker,
                    need.demand,
                    password: need.password,
                    prompt: authentication.prompt,
                    // A new item has another name at its next attempt.
                    items: session == nil && need.password != .new ? Set(need.items) : nil,
                    isRepeated: isRepeated
                ),
                isWanted: isWanted
            )
            if need.password == .existing { passwords += 1 }
            asked = (need, proof)
            if let session { try session.keep(proof) } else { own.append(proof) }
            authentication.proofs.append(proof)
        }
        throw PresenceFailure.failed.error
    }
}

extension KeychainEngine {
    /// Who asks the owner, and keeps what they prove.
    package var enclave: any Enclave { vault.enclave }
}

extension ItemOperation {
    /// What it brings for items that ask for more; nil for what never does.
    package var authentication: ItemAuthentication? {
        get {
            switch self {
            case .add(let request): request.authentication
            case .find(let request): request.authentication
            case .update(let request): request.authentication
            case .makeKey(let request): request.authentication
            case .useKey(let request): request.authentication
            case .delete: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .add(var request):
                request.authentication = newValue
                self = .add(request)
            case .find(var request):
                request.authentication = newValue
                self = .find(request)
            case .update(var request):
                request.authentication = newValue
                self = .update(request)
            case .makeKey(var request):
                request.authentication = newValue
                self = .makeKey(request)
            case .useKey(var request):
                request.authentication = newValue
                self = .useKey(request)
            case .delete: break
            }
        }
    }
}
