package import KeychainEnclave
package import KeychainModel
import Synchronization

/// What was proved in one context, for as long as that lives. The enclave keeps the proofs; what is here names them.
package final class PresenceSession: PresenceContext {
    private struct State {
        var proofs: [PresenceProof] = []
        var isInvalidated = false
    }

    private let asker: Asker
    private let enclave: @Sendable () throws(KeychainError) -> any Enclave
    private let state = Mutex(State())

    package init(of asker: Asker, _ enclave: @escaping @Sendable () throws(KeychainError) -> any Enclave) {
        self.asker = asker
        self.enclave = enclave
    }

    deinit {
        forgetAll()
    }

    package var proofs: [PresenceProof] { state.withLock(\.proofs) }

    package var isValid: Bool { state.withLock { !$0.isInvalidated } }

    package func evaluate(_ request: PresenceRequest) throws(KeychainError) {
        try evaluate(request, isWanted: { [weak self] in self?.isValid ?? false })
    }

    package func evaluate(
        _ request: PresenceRequest,
        isWanted: @escaping @Sendable () -> Bool
    ) throws(KeychainError) {
        let question = PresenceQuestion(
            of: asker,
            request.demand,
            password: request.asksPassword ? .existing : .none,
            prompt: request.prompt,
            items: nil
        )
        try keep(enclave().ask(question, isWanted: isWanted))
    }

    package func invalidate() {
        state.withLock { $0.isInvalidated = true }
        forgetAll()
    }

    /// - Throws: `authenticationFailed` where the context ended meanwhile.
    func keep(_ proof: PresenceProof) throws(KeychainError) {
        let forgotten = state.withLock { state -> [PresenceProof]? in
            guard !state.isInvalidated else { return nil }
            state.proofs.append(proof)
            // The oldest go; a person who is asked more often than that is asked again.
            let surplus = max(0, state.proofs.count - ItemCredentials.mostProofs)
            defer { state.proofs.removeFirst(surplus) }
            return Array(state.proofs.prefix(surplus))
        }
        guard let forgotten else {
            try enclave().forget(proof)
            throw PresenceFailure.interrupted.error
        }
        for proof in forgotten { try enclave().forget(proof) }
    }

    func forget(_ proof: PresenceProof) {
        state.withLock { $0.proofs.removeAll { $0 == proof } }
        try? enclave().forget(proof)
    }

    private func forgetAll() {
        let proofs = state.withLock { state in
            defer { state.proofs = [] }
            return state.proofs
        }
        guard !proofs.isEmpty, let enclave = try? enclave() else { return }
        for proof in proofs { enclave.forget(proof) }
    }
}
