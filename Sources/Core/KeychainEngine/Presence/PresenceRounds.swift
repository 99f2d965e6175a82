package import EnclaveInterface
package import KeychainCircles
package import KeychainModel
import KeychainVault

/// Asks the owner one question each time that a call lacks a proof. The caller then does the call again, with the answer.
package struct PresenceRounds: ~Copyable {
    /// With what was proved for it so far.
    package private(set) var operation: KeychainOperation
    private let asker: QuestionAsker
    private let session: PresenceSession?
    private let enclave: @Sendable () throws(KeychainError) -> any Enclave
    private let isWanted: @Sendable () -> Bool
    /// What is good for this call alone.
    private var own: [PresenceProof] = []
    private var asked: (need: PresenceNeed, proof: PresenceProof)?
    private var questions = 0
    private var passwords = 0
    /// What the owner of an owner's call was asked in the service's words.
    private var ownersReason = ""

    /// A call asks for one proof after the other; no real call needs more than this.
    private static let most = 20
    private static let mostPasswords = 3

    /// - Parameters:
    ///   - session: of the call's context; without one, what is proved is good for this call alone.
    ///   - isWanted: whether the caller still waits.
    package init(
        _ operation: KeychainOperation,
        of asker: QuestionAsker,
        in session: PresenceSession?,
        enclave: @escaping @Sendable () throws(KeychainError) -> any Enclave,
        isWanted: @escaping @Sendable () -> Bool = { true }
    ) {
        self.operation = operation
        self.asker = asker
        self.session = session
        self.enclave = enclave
        self.isWanted = isWanted
        // Only these count, not what came with the operation.
        self.operation.authentication.proofs = session?.proofs ?? []
    }

    deinit {
        if !own.isEmpty, let enclave = try? enclave() { own.forEach(enclave.forget) }
    }

    /// What an attempt has lacked.
    package struct Question {
        fileprivate let need: PresenceNeed
        /// Whether the last answer was wrong.
        fileprivate let isRepeated: Bool
    }

    /// - Parameter error: what the last attempt at the operation has failed with.
    /// - Throws: that error, if no answer could help; with a `PresenceFailure`, if the owner may not be asked or was asked too
    ///   often.
    package mutating func question(after error: KeychainError) throws(KeychainError) -> Question {
        guard operation.traits.mayAsk else { throw error }
        let question: Question
        if let need = error.need {
            question = Question(need: need, isRepeated: false)
        } else if error.code == .authenticationFailed, error.presence == nil, let last = asked,
            last.need.password == .existing, passwords < Self.mostPasswords
        {
            // What was typed was wrong.
            question = Question(need: last.need, isRepeated: true)
            operation.authentication.proofs.removeAll { $0 == last.proof }
            session?.forget(last.proof)
        } else {
            throw error
        }
        guard operation.authentication.ui == .allow else { throw PresenceFailure.notInteractive.error }
        guard questions < Self.most else { throw PresenceFailure.failed.error }
        return question
    }

    /// Asks, and takes what is proved into the operation. Nothing may be held meanwhile: a person takes their time.
    package mutating func ask(_ question: Question) throws(KeychainError) {
        questions += 1
        let need = question.need
        var authentication = operation.authentication
        if authentication.isOwners {
            ownersReason = need.reason ?? ownersReason
            authentication.prompt.reason = ownersReason
            authentication.reuse = .none
        }
        let (asker, wishes, reuse) = (asker, authentication.prompt, authentication.reuse)
        let presenceQuestion = { (scope: PresenceScope) throws(KeychainError) in
            PresenceQuestion(
                of: try asker.claim(),
                need.demand,
                password: need.password,
                prompt: wishes,
                for: scope,
                isRepeated: question.isRepeated,
                reuse: reuse
            )
        }
        let proof: PresenceProof
        // What its owner agrees to for one item opens no other.
        if let session, need.reason == nil, session.covers(need.items) {
            proof = try session.ask(isWanted: isWanted) { (context) throws(KeychainError) in
                try presenceQuestion(.context(context))
            }
        } else {
            proof = try enclave().ask(presenceQuestion(scope(of: need)), isWanted: isWanted)
            own.append(proof)
        }
        if need.password == .existing { passwords += 1 }
        asked = (need, proof)
        operation.authentication.proofs.append(proof)
    }

    /// As much of what is lacking as one prompt can name. For the rest the owner is asked once more.
    private func scope(of need: PresenceNeed) -> PresenceScope {
        // A new item has another name at its next attempt.
        if need.password == .new, let item = need.items.first { return .newItem(accessGroup: item.accessGroup) }
        var items: [ItemUUID: String] = [:]
        var groups: Set<String> = []
        for item in need.items where items.count < PresenceScope.mostItems {
            guard groups.contains(item.accessGroup) || groups.count < PresenceScope.mostGroups else { continue }
            groups.insert(item.accessGroup)
            items[item.uuid] = item.accessGroup
        }
        return .items(items)
    }
}

/// The same for what is asked of a circle, where it goes by an owner's view: the owner is asked once at most.
package struct CircleRounds: ~Copyable {
    /// With what was proved for it so far.
    package private(set) var request: CircleRequest
    private let asker: QuestionAsker
    private let enclave: @Sendable () throws(KeychainError) -> any Enclave
    private var own: PresenceProof?

    package init(
        _ request: CircleRequest,
        of asker: QuestionAsker,
        in session: PresenceSession?,
        enclave: @escaping @Sendable () throws(KeychainError) -> any Enclave
    ) {
        self.request = request
        self.asker = asker
        self.enclave = enclave
        // Only these count, not what came with the request.
        self.request.view?.proofs = session?.proofs ?? []
    }

    deinit {
        if let own, let enclave = try? enclave() { enclave.forget(own) }
    }

    /// - Parameter error: what the last attempt has failed with.
    /// - Throws: that error, if no answer could help.
    package func need(after error: KeychainError) throws(KeychainError) -> PresenceNeed {
        guard let view = request.view, let need = error.need, own == nil else { throw error }
        guard view.ui == .allow else { throw PresenceFailure.notInteractive.error }
        return need
    }

    package mutating func ask(
        _ need: PresenceNeed,
        isWanted: @Sendable () -> Bool = { true }
    ) throws(KeychainError) {
        guard let view = request.view else { return }
        var prompt = view.prompt
        prompt.reason = need.reason ?? prompt.reason
        let items = Dictionary(need.items.map { ($0.uuid, $0.accessGroup) }, uniquingKeysWith: { first, _ in first })
        let question = PresenceQuestion(of: try asker.claim(), need.demand, prompt: prompt, for: .items(items))
        let proof = try enclave().ask(question, isWanted: isWanted)
        own = proof
        request.view?.proofs.append(proof)
    }
}

extension KeychainEngine {
    /// The object that asks the owner and keeps the proofs.
    package var enclave: any Enclave { vault.enclave }
}
