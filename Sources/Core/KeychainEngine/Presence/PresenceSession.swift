package import EnclaveInterface
package import KeychainModel
import Synchronization

/// What was proved in one context, for as long as that lives. The enclave keeps the context and the proofs; what is
/// here names them.
package final class PresenceSession: PresenceContext {
    private struct State {
        /// Opened at the first question, and again where the enclave has dropped it.
        var context: PresenceContextID?
        var proofs: [PresenceProof] = []
        /// That the owner has opened a view in it; the last one.
        var view: PresenceProof?
        var isInvalidated = false
    }

    private let asker: QuestionAsker
    private let enclave: @Sendable () throws(KeychainError) -> any Enclave
    private let state = Mutex(State())

    package init(
        of asker: QuestionAsker,
        _ enclave: @escaping @Sendable () throws(KeychainError) -> any Enclave
    ) {
        self.asker = asker
        self.enclave = enclave
    }

    deinit {
        close()
    }

    package var proofs: [PresenceProof] { state.withLock { $0.proofs + ($0.view.map { [$0] } ?? []) } }

    package var isValid: Bool { state.withLock { !$0.isInvalidated } }

    package func evaluate(_ request: PresenceRequest) throws(KeychainError) {
        try evaluate(request, isWanted: { [weak self] in self?.isValid ?? false })
    }

    package func evaluate(
        _ request: PresenceRequest,
        isWanted: @escaping @Sendable () -> Bool
    ) throws(KeychainError) {
        if request.opensView { return try openView(request.prompt, isWanted: isWanted) }
        _ = try ask(isWanted: isWanted) { (context) throws(KeychainError) in
            PresenceQuestion(
                of: try asker.claim(),
                request.demand,
                password: request.asksPassword ? .existing : .none,
                prompt: request.prompt,
                for: .context(context),
                reuse: request.reuse
            )
        }
    }

    /// Asks the owner whether the program may see the items of all access groups. A finger that unlocked the session does not
    /// do: nobody knew then what it would be for.
    private func openView(
        _ prompt: PromptWishes,
        isWanted: @Sendable () -> Bool
    ) throws(KeychainError) {
        let enclave = try enclave()
        // Nobody types a passcode for nothing.
        if let lack = try enclave.state().lackOfOwner { throw lack }
        let question = PresenceQuestion(of: try asker.claim(), .owner, prompt: prompt, for: .ownersView)
        let proof = try enclave.ask(question, isWanted: isWanted)
        let forgotten = state.withLock { state -> PresenceProof? in
            guard !state.isInvalidated else { return proof }
            defer { state.view = proof }
            return state.view
        }
        if let forgotten { enclave.forget(forgotten) }
        guard forgotten != proof else { throw PresenceFailure.interrupted.error }
    }

    package func invalidate() {
        state.withLock { $0.isInvalidated = true }
        close()
    }

    // MARK: - Questions

    /// Whether what is proved in the context is good for these items.
    func covers(_ items: [GuardedItem]) -> Bool { items.allSatisfy { asker.groups.contains($0.accessGroup) } }

    /// Asks in the context, and keeps what is proved.
    ///
    /// - Throws: `authenticationFailed` where the context ended meanwhile.
    func ask(
        isWanted: @Sendable () -> Bool,
        _ question: (PresenceContextID) throws(KeychainError) -> PresenceQuestion
    ) throws(KeychainError) -> PresenceProof {
        let known = try context()
        let proof: PresenceProof
        do throws(KeychainError) {
            proof = try enclave().ask(question(known), isWanted: isWanted)
        } catch {
            // A lock, the time, or another enclave: what was proved in it is gone as well.
            guard error.code == .itemNotFound else { throw error }
            state.withLock { if $0.context == known { $0.context = nil } }
            proof = try enclave().ask(question(context()), isWanted: isWanted)
        }
        try keep(proof)
        return proof
    }

    private func context() throws(KeychainError) -> PresenceContextID {
        if let known = state.withLock(\.context) { return known }
        let new = try enclave().openContext(asker.groupEntries)
        // Two that ask at once have one.
        let kept = state.withLock { state -> PresenceContextID in
            let kept = state.context ?? new
            state.context = kept
            return kept
        }
        if kept != new { try enclave().closeContext(new) }
        return kept
    }

    private func keep(_ proof: PresenceProof) throws(KeychainError) {
        let forgotten = state.withLock { state -> [PresenceProof]? in
            guard !state.isInvalidated else { return nil }
            state.proofs.append(proof)
            // The oldest go; a person who is asked more often than that is asked again.
            let surplus = max(0, state.proofs.count - ItemCredentials.mostProofs)
            defer { state.proofs.removeFirst(surplus) }
            return Array(state.proofs.prefix(surplus))
        }
        guard let forgotten else {
            close()
            throw PresenceFailure.interrupted.error
        }
        for proof in forgotten { try enclave().forget(proof) }
    }

    func forget(_ proof: PresenceProof) {
        state.withLock { $0.proofs.removeAll { $0 == proof } }
        try? enclave().forget(proof)
    }

    private func close() {
        let (context, view) = state.withLock { state in
            defer { (state.context, state.proofs, state.view) = (nil, [], nil) }
            return (state.context, state.view)
        }
        guard context != nil || view != nil, let enclave = try? enclave() else { return }
        if let view { enclave.forget(view) }
        if let context { enclave.closeContext(context) }
    }
}
