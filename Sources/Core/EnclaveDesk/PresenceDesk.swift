import Dispatch
package import EnclaveInterface
package import KeychainModel
import Synchronization

/// Where one keychain's owner is asked. It takes questions for programs, has prompters show them, judges what comes
/// back, and keeps what was proved.
///
/// One question is shown at a time; others wait. It can be used from any number of threads.
package final class PresenceDesk: Sendable {
    /// Tells whether a passcode is right, and counts it. It may take a second.
    package typealias Verifier = @Sendable (SecretBytes) throws(KeychainError) -> Void

    /// Whom the state machine's numbers and identifiers stand for.
    struct Performers {
        var prompters: [Int: any Prompter] = [:]
        var callers: [ItemUUID: @Sendable (Result<PresenceProof, KeychainError>) -> Void] = [:]
        var refreshes: [Int: DispatchSemaphore] = [:]
        var verifier: Verifier?
    }

    /// An effect and whom it concerns. It is done once the lock is released.
    private typealias DeferredEffect = @Sendable () -> Void

    let state = Mutex(PresenceDeskState())
    /// Only ever locked while `state` is.
    private let performers = Mutex(Performers())

    package static let mostWrongPasscodes = 3
    /// LocalAuthentication's own: then the passcode has to be given.
    package static let mostWrongFingers = 5

    package init() {}

    /// Changes the state, and performs the effects after the lock is released.
    func withState<Value: Sendable>(
        _ body: (inout PresenceDeskState, inout Performers, inout [PresenceEffect]) -> sending Value
    ) -> Value {
        var deferred: [DeferredEffect] = []
        let value = state.withLock { state in
            performers.withLock { performers in
                var effects: [PresenceEffect] = []
                let value = body(&state, &performers, &effects)
                deferred = effects.compactMap { Self.deferred($0, &performers) }
                return value
            }
        }
        for effect in deferred { effect() }
        return value
    }

    private static func deferred(_ effect: PresenceEffect, _ performers: inout Performers) -> DeferredEffect? {
        switch effect {
        case .show(let prompt, let number):
            guard let prompter = performers.prompters[number] else { return nil }
            return { prompter.show(prompt) }
        case .withdraw(let id, let number):
            guard let prompter = performers.prompters[number] else { return nil }
            return { prompter.withdraw(id) }
        case .resolve(let id, let result):
            guard let settle = performers.callers.removeValue(forKey: id) else { return nil }
            return { settle(result) }
        case .requestState(let factor, let number):
            guard let prompter = performers.prompters[number] else { return nil }
            return { prompter.report(factor) }
        case .wake(let refresh):
            guard let reported = performers.refreshes.removeValue(forKey: refresh) else { return nil }
            return { reported.signal() }
        }
    }

    /// Says what passcodes are tried with.
    package func serve(_ verifier: @escaping Verifier) {
        withState { _, performers, _ in performers.verifier = verifier }
    }

    /// Takes in what has become of the keychain. If it was locked, all questions fail.
    package func follow(_ enclaveState: EnclaveState) {
        let clock = StartClock.current
        withState { state, _, effects in state.enclaveChanged(enclaveState, at: clock, &effects) }
    }

    // MARK: - Prompters

    /// Has a prompter shown what is asked from now on. The one that came last is asked first.
    ///
    /// - Returns: a number for `unregister`.
    package func register(_ prompter: any Prompter, for abilities: PrompterAbilities) -> Int {
        withState { state, performers, _ in
            let number = state.prompterCame(abilities)
            performers.prompters[number] = prompter
            return number
        }
    }

    /// A prompter is gone. What it was shown goes to another one.
    package func unregister(_ number: Int) {
        let clock = StartClock.current
        withState { state, performers, effects in
            performers.prompters[number] = nil
            state.prompterLeft(number, at: clock, &effects)
        }
    }

    // MARK: - Questions

    /// Opens a question. What is known of fingers is what was reported last.
    ///
    /// - Parameters:
    ///   - asker: the program that the prompt names. It is called only once a prompt is possible at all.
    ///   - connection: of the service; 0 within a process. Only there is the proof worth anything.
    ///   - settle: called once, from any thread, unless this throws or the question is withdrawn.
    /// - Returns: what withdraws it.
    /// - Throws: the `PresenceFailure`'s error where no prompt is possible or allowed; `itemNotFound` for a context
    ///   that is over; `noPermission` for another program's context; the errors of `asker`.
    package func begin(
        _ question: PresenceQuestion,
        of asker: () throws(KeychainError) -> Asker,
        on connection: UInt64 = 0,
        settle: @escaping @Sendable (Result<PresenceProof, KeychainError>) -> Void
    ) throws(KeychainError) -> ItemUUID {
        guard question.scope.isSound else {
            throw KeychainError(.invalidParameter, "a question names no items, or too many")
        }
        let clock = StartClock.current
        let obstacle = state.withLock { state in
            state.obstacle(to: question, beside: state.reused(by: question, at: clock))
        }
        if let obstacle { throw obstacle.error }
        let asker = try asker()
        let id = ItemUUID()
        let failure = withState { state, performers, effects -> KeychainError? in
            let failure = state.asked(question, id, of: asker, on: connection, at: clock, &effects)
            if failure == nil { performers.callers[id] = settle }
            return failure
        }
        if let failure { throw failure }
        return id
    }

    /// Makes a context, in which what is proved opens all items of some groups.
    ///
    /// - Parameter groups: of a context without any, nothing but the answer is wanted.
    /// - Throws: `invalidParameter` for more groups than a prompt can name.
    package func openContext(
        _ groups: [String],
        on connection: UInt64 = 0
    ) throws(KeychainError) -> PresenceContextID {
        guard PresenceScope.canBeNamed(groups) else {
            throw KeychainError(.invalidParameter, "a context is for a few access groups")
        }
        let clock = StartClock.current
        return state.withLock { $0.proofs.open(groups, on: connection, at: clock) }
    }

    package func closeContext(_ id: PresenceContextID, on connection: UInt64 = 0) {
        state.withLock { $0.proofs.close(id, on: connection) }
    }

    /// A connection of the service is gone, and with it what was proved for it.
    package func end(_ connection: UInt64) {
        state.withLock { $0.proofs.end(connection) }
    }

    /// Opens a question and waits for what comes of it.
    ///
    /// - Parameter isWanted: asked again and again; once it says no, the question is withdrawn.
    /// - Throws: with the `PresenceFailure`.
    package func ask(
        _ question: PresenceQuestion,
        of asker: () throws(KeychainError) -> Asker,
        isWanted: () -> Bool
    ) throws(KeychainError) -> PresenceProof {
        let settled = SettledQuestion()
        refreshReaders(for: question.demand)
        let id = try begin(question, of: asker) { settled.settle($0) }
        let deadline = ContinuousClock.now + Self.patience
        while true {
            if let result = settled.wait() { return try result.get() }
            guard isWanted(), .now < deadline else { break }
        }
        withdraw(id)
        // It may have been answered just now.
        if let result = settled.result { return try result.get() }
        throw PresenceFailure.interrupted.error
    }

    /// How long a prompt waits for an answer.
    package static let patience: Duration = .seconds(180)

    /// Takes a question back, whose asker is gone.
    package func withdraw(_ id: ItemUUID) {
        let clock = StartClock.current
        withState { state, performers, effects in
            performers.callers[id] = nil
            state.withdrawn(id, at: clock, &effects)
        }
    }

    /// By what the owner can be told now.
    package var status: PresenceStatus { state.withLock(\.status) }

    // MARK: - Answers

    /// Verifies a passcode, or the secret of another factor that the shown prompt asks for. It may take a second.
    ///
    /// - Throws: what the verification fails with, other than that the secret is wrong: one has to wait, for instance.
    ///   The question is over then.
    package func answer(_ id: ItemUUID, typed secret: SecretBytes) throws(KeychainError) -> PromptAnswer {
        let asked = withState { state, performers, _ -> (factor: PresenceFactor, verifier: Verifier)? in
            guard let (factor, secret) = state.secretTyped(id), let verifier = secret.verifier(performers.verifier)
            else { return nil }
            return (factor, verifier)
        }
        guard let asked else { return .over }
        do throws(KeychainError) {
            try asked.verifier(secret)
        } catch {
            let clock = StartClock.current
            return withState { state, _, effects in state.verificationFailed(id, error, at: clock, &effects) }
        }
        let clock = StartClock.current
        return withState { state, _, effects in state.verified(asked.factor, for: id, at: clock, &effects) }
    }

    /// Takes an application password that a person has typed. Whether it is right, only the item can tell.
    ///
    /// - Throws: `invalidParameter` for one that no item can have.
    package func answer(_ id: ItemUUID, password: SecretBytes) throws(KeychainError) -> PromptAnswer {
        let password = try ApplicationPassword(password)
        let clock = StartClock.current
        return withState { state, _, effects in state.passwordTyped(id, password, at: clock, &effects) }
    }

    /// Something was read that is enrolled, such as a finger. Only a trusted prompter may say so.
    ///
    /// - Returns: `over` for a factor that no reader reads.
    package func matched(_ id: ItemUUID, by factor: PresenceFactors) -> PromptAnswer {
        let clock = StartClock.current
        return withState { state, _, effects in state.matched(id, by: factor, at: clock, &effects) }
    }

    /// Something was read that is not enrolled.
    package func mismatched(_ id: ItemUUID, by factor: PresenceFactors) -> PromptAnswer {
        let clock = StartClock.current
        return withState { state, _, effects in state.mismatched(id, by: factor, at: clock, &effects) }
    }

    /// The reader wants the person told something. Only a trusted prompter may say so. Where nothing is typed it is
    /// shown.
    package func hint(_ id: ItemUUID, _ hint: ReaderHint, by factor: PresenceFactors) {
        withState { state, _, effects in state.hinted(id, hint, by: factor, &effects) }
    }

    /// The person said no, or cannot be asked by this prompter.
    ///
    /// - Parameter abilities: what the prompter that says so was asked for.
    package func decline(_ id: ItemUUID, because failure: PresenceFailure, of abilities: PrompterAbilities) {
        let clock = StartClock.current
        withState { state, _, effects in state.declined(id, because: failure, of: abilities, at: clock, &effects) }
    }

    // MARK: - Proofs

    /// What was proved for an item, by these proofs together, and the password that was given with one.
    ///
    /// - Parameter isNew: whether the item is being written.
    package func proved(
        _ credentials: ItemCredentials,
        for item: GuardedItem,
        isNew: Bool = false
    ) -> (factors: PresenceFactors, password: ApplicationPassword?) {
        guard !credentials.proofs.isEmpty else { return ([], nil) }
        let clock = StartClock.current
        return state.withLock { $0.proofs.proved(credentials, for: item, isNew: isNew, at: clock) }
    }

    /// Whether the owner has agreed that these items are read or changed, whosever they are, or that all are seen.
    package func prove(_ scope: PresenceScope, by credentials: ItemCredentials) -> Bool {
        let clock = StartClock.current
        return state.withLock { state in
            switch scope {
            case .items(let items): state.proofs.proveItems(items, credentials, at: clock)
            case .ownersView: state.proofs.proveView(credentials, at: clock)
            case .newItem, .context: false
            }
        }
    }

    package func forget(_ proof: PresenceProof) {
        state.withLock { $0.proofs.forget(proof) }
    }

    /// Whether no question is open, and no delay is due to wrong answers.
    package var isAtRest: Bool {
        state.withLock {
            $0.questions.isEmpty && $0.refreshes.isEmpty && $0.readers.values.allSatisfy { $0.mismatches == 0 }
        }
    }

    /// In the middle of a lock: what was proved is worth nothing any more.
    package func forgetAll() {
        state.withLock { $0.forgetProofs() }
    }
}

extension PresenceDesk: ReaderDesk, RegisteringDesk {}
