package import KeychainEnclave
package import KeychainModel
import KeychainVault

/// Does a call, has its owner asked for what the call lacks, and does it again.
package struct PresenceRounds: Sendable {
    private let asker: QuestionAsker
    private let session: PresenceSession?
    private let enclave: @Sendable () throws(KeychainError) -> any Enclave
    private let isWanted: @Sendable () -> Bool

    /// A call asks for one proof after the other; no real call needs more than this.
    private static let most = 20
    private static let mostPasswords = 3

    /// - Parameters:
    ///   - session: of the call's context; without one, what is proved is good for this call alone.
    ///   - isWanted: whether the caller still waits.
    package init(
        for asker: QuestionAsker,
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
    ///   - body: does the operation, with what was proved for it; nothing may be held while it does not run.
    package func perform(
        _ operation: KeychainOperation,
        willAsk: () throws(KeychainError) -> Void = { () throws(KeychainError) in },
        _ body: (KeychainOperation) throws(KeychainError) -> OperationResult
    ) throws(KeychainError) -> OperationResult {
        var operation = operation
        // Only these count, not what came with the operation.
        let proofs = session?.proofs ?? []
        operation.changeAuthentication { $0.proofs = proofs }
        var own: [PresenceProof] = []
        defer { if !own.isEmpty, let enclave = try? enclave() { own.forEach(enclave.forget) } }
        var asked: (need: PresenceNeed, proof: PresenceProof)?
        var passwords = 0
        for _ in 0..<Self.most {
            let need: PresenceNeed
            let authentication: ItemAuthentication
            var isRepeated = false
            do throws(KeychainError) {
                return try body(operation)
            } catch {
                guard let brought = operation.authentication else { throw error }
                authentication = brought
                if let lacking = error.need {
                    need = lacking
                } else if error.code == .authenticationFailed, error.presence == nil, let last = asked,
                    last.need.password == .existing, passwords < Self.mostPasswords
                {
                    // What was typed was wrong.
                    need = last.need
                    isRepeated = true
                    operation.changeAuthentication { $0.proofs.removeAll { $0 == last.proof } }
                    session?.forget(last.proof)
                } else {
                    throw error
                }
                guard authentication.ui == .allow else { throw PresenceFailure.notInteractive.error }
            }
            try willAsk()
            let prompt = authentication.prompt
            let question = { (scope: PresenceScope) throws(KeychainError) in
                PresenceQuestion(
                    of: try asker.claim(),
                    need.demand,
                    password: need.password,
                    prompt: prompt,
                    for: scope,
                    isRepeated: isRepeated,
                    reuse: authentication.reuse
                )
            }
            let proof: PresenceProof
            if let session, session.covers(need.items) {
                proof = try session.ask(isWanted: isWanted) { (context) throws(KeychainError) in
                    try question(.context(context))
                }
            } else {
                proof = try enclave().ask(question(scope(of: need)), isWanted: isWanted)
                own.append(proof)
            }
            if need.password == .existing { passwords += 1 }
            asked = (need, proof)
            operation.changeAuthentication { $0.proofs.append(proof) }
        }
        throw PresenceFailure.failed.error
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

extension KeychainEngine {
    /// The object that asks the owner and keeps the proofs.
    package var enclave: any Enclave { vault.enclave }
}
