import Dispatch
package import KeychainModel
import Synchronization

/// Where one keychain's owner is asked. It takes questions for programs, has prompters show them, judges what comes
/// back, and keeps what was proved.
///
/// One question is shown at a time; others wait. It can be used from any number of threads.
package final class PresenceDesk: Sendable {
    /// Tells whether a passcode is right, and counts it. It may take a second.
    typealias Verifier = @Sendable (SecretBytes) throws(KeychainError) -> Void

    struct State {
        var prompters: [Attendant] = []
        var nextAttendant = 1
        /// The first one is shown.
        var questions: [OpenQuestion] = []
        var proofs = KeptProofs()
        var limits = PromptLimits()
        /// Wrong fingers since the last passcode.
        var wrongFingers = 0
        /// What was seen of the owner's fingers last; nil where nobody looks, or answers.
        var sight: BiometrySight?
        /// Who waits for the next sight.
        var lookers: [DispatchSemaphore] = []
        /// When somebody who was to look said nothing.
        var silence: ContinuousClock.Instant?
        var hasPasscode = false
        var lock = EnclaveState.Lock.beforeFirstUnlock
        var verifier: Verifier?
    }

    struct Attendant {
        let number: Int
        let abilities: PrompterAbilities
        let prompter: any Prompter
    }

    struct OpenQuestion {
        let id: ItemUUID
        let question: PresenceQuestion
        let asker: Asker
        /// The access groups that the proof will be good for.
        let groups: [String]
        /// Of the service that has asked.
        let connection: UInt64
        let settle: @Sendable (Result<PresenceProof, KeychainError>) -> Void
        var proved: PresenceFactors = []
        var password: SecretBytes?
        var wrongPasscodes = 0
        /// To whom it is shown, and what is asked of them.
        var shown: [Int: Set<Prompt.Wish>] = [:]
        var isTrying = false

        /// Whether an application password is still to be typed.
        var needsPassword: Bool { question.password != .none && password == nil }

        func prompt(_ wish: Prompt.Wish, biometryIsEnough: Bool, hint: FingerHint? = nil) -> Prompt {
            Prompt(
                question: id,
                wish: wish,
                asker: asker.description,
                groups: groups,
                wishes: question.prompt,
                biometryIsEnough: biometryIsEnough,
                isRepeated: question.isRepeated && wish != .passcode,
                hint: hint
            )
        }
    }

    /// What is done once the lock is left: those who are told may come back at once.
    typealias Consequence = @Sendable () -> Void

    let state = Mutex(State())

    package static let mostWrongPasscodes = 3
    /// LocalAuthentication's own: then the passcode has to be given.
    package static let mostWrongFingers = 5

    package init() {}

    func withState<Value: Sendable>(_ body: (inout State, inout [Consequence]) -> sending Value) -> Value {
        var consequences: [Consequence] = []
        let value = state.withLock { state in body(&state, &consequences) }
        for consequence in consequences { consequence() }
        return value
    }

    /// Says what passcodes are tried with.
    func serve(_ verifier: @escaping Verifier) {
        state.withLock { $0.verifier = verifier }
    }

    /// Takes in what has become of the keychain. If it was locked, what is asked is asked for nothing.
    func follow(_ enclaveState: EnclaveState) {
        withState { state, consequences in
            state.hasPasscode = enclaveState.hasPasscode
            defer { state.lock = enclaveState.lock }
            guard enclaveState.lock.rawValue < state.lock.rawValue else { return }
            state.proofs = KeptProofs()
            while !state.questions.isEmpty {
                state.fail(
                    state.questions.count - 1,
                    PresenceFailure.interrupted.error,
                    &consequences,
                    showsNext: false
                )
            }
        }
    }

    // MARK: - Prompters

    /// Has a prompter shown what is asked from now on. The one that came last is asked first.
    ///
    /// - Returns: a number for `leave`.
    package func attend(_ prompter: any Prompter, for abilities: PrompterAbilities) -> Int {
        state.withLock { state in
            let number = state.nextAttendant
            state.nextAttendant += 1
            state.prompters.append(Attendant(number: number, abilities: abilities, prompter: prompter))
            return number
        }
    }

    /// A prompter is gone. What it was shown goes to another one.
    package func leave(_ number: Int) {
        withState { state, consequences in
            state.prompters.removeAll { $0.number == number }
            if !state.abilities.contains(.biometry) { state.sight = nil }
            guard !state.questions.isEmpty, state.questions[0].shown.removeValue(forKey: number) != nil else { return }
            state.show(&consequences)
        }
    }

    // MARK: - Questions

    /// Opens a question. What is known of fingers is what the last `look` has found.
    ///
    /// - Parameters:
    ///   - asker: whom the question is shown of, asked for after it is known that anybody can be asked at all.
    ///   - connection: of the service; 0 within a process. Only there is the proof worth anything.
    ///   - settle: called once, from any thread, unless this throws or the question is withdrawn.
    /// - Returns: what withdraws it.
    /// - Throws: with the `PresenceFailure` where nobody can be asked, or may be; `itemNotFound` where it is about a context
    ///   that is over; `noPermission` where that is somebody else's; what asking for the asker fails with.
    package func begin(
        _ question: PresenceQuestion,
        of asker: () throws(KeychainError) -> Asker,
        on connection: UInt64 = 0,
        settle: @escaping @Sendable (Result<PresenceProof, KeychainError>) -> Void
    ) throws(KeychainError) -> ItemUUID {
        guard question.scope.isSound else {
            throw KeychainError(.invalidParameter, "nobody can be asked about so much, or about nothing")
        }
        if let obstacle = state.withLock({ $0.obstacle(to: question) }) { throw obstacle.error }
        let asker = try asker()
        let id = ItemUUID()
        let failure = withState { state, consequences -> KeychainError? in
            if let obstacle = state.obstacle(to: question) { return obstacle.error }
            let groups: [String]
            switch question.scope {
            case .items(let items): groups = Set(items.values).sorted()
            case .newItem(let group): groups = [group]
            case .context(let context):
                guard let opened = state.proofs.groups(of: context, on: connection) else {
                    return PresenceContextID.isOver
                }
                groups = opened
            }
            guard state.limits.allows(asker, open: state.questions.map(\.asker)) else {
                return PresenceFailure.tooMany.error
            }
            if case .context(let context) = question.scope, !state.proofs.bind(context, to: asker) {
                return KeychainError(.noPermission, "the context is another program's")
            }
            let open = OpenQuestion(
                id: id,
                question: question,
                asker: asker,
                groups: groups,
                connection: connection,
                settle: settle
            )
            state.questions.insert(open, at: state.place(of: asker))
            if state.questions.count == 1 { state.show(&consequences) }
            return nil
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
        return state.withLock { $0.proofs.open(groups, on: connection) }
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
    func ask(
        _ question: PresenceQuestion,
        of asker: () throws(KeychainError) -> Asker,
        isWanted: () -> Bool
    ) throws(KeychainError) -> PresenceProof {
        let settled = SettledQuestion()
        look(for: question.demand)
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

    /// How long anybody may think about a prompt.
    package static let patience: Duration = .seconds(180)

    /// Takes a question back, whose asker is gone.
    package func withdraw(_ id: ItemUUID) {
        withState { state, consequences in
            guard let index = state.questions.firstIndex(where: { $0.id == id }) else { return }
            state.remove(index, &consequences)
        }
    }

    /// By what the owner can be told now.
    package var status: PresenceStatus {
        state.withLock { state in
            PresenceStatus(
                passcode: state.obstacle(to: .passcode),
                biometry: state.obstacle(to: .biometry),
                biometrySet: state.sight?.obstacle == nil ? state.sight?.set?.domainState : nil
            )
        }
    }

    // MARK: - Answers

    /// Tries a passcode that a person has typed. It may take a second.
    ///
    /// - Throws: what trying it fails with, other than that it is wrong: one has to wait, for instance. The question is over
    ///   then.
    package func answer(_ id: ItemUUID, passcode: SecretBytes) throws(KeychainError) -> PromptAnswer {
        let verifier = state.withLock { state -> Verifier? in
            guard let index = state.shownQuestion(id, wanting: [.passcode]), !state.questions[index].isTrying else {
                return nil
            }
            state.questions[index].isTrying = true
            return state.verifier
        }
        guard let verifier else { return .over }
        do throws(KeychainError) {
            try verifier(passcode)
        } catch {
            return withState { state, consequences in
                guard let index = state.questions.firstIndex(where: { $0.id == id }) else { return .over }
                state.questions[index].isTrying = false
                state.questions[index].wrongPasscodes += 1
                // What cannot be tried now is not asked for again.
                let isWrong = error.code == .authenticationFailed || error.code == .invalidParameter
                guard isWrong, state.questions[index].wrongPasscodes < Self.mostWrongPasscodes else {
                    state.fail(index, isWrong ? PresenceFailure.failed.error : error, &consequences)
                    return .over
                }
                return .wrong
            }
        }
        return withState { state, consequences in
            state.wrongFingers = 0
            return state.prove(.passcode, for: id, &consequences)
        }
    }

    /// Takes an application password that a person has typed. Whether it is right, only the item can tell.
    ///
    /// - Throws: `invalidParameter` for one that no item can have.
    package func answer(_ id: ItemUUID, password: SecretBytes) throws(KeychainError) -> PromptAnswer {
        let password = try ApplicationPassword(password)
        return withState { state, consequences in
            guard let index = state.shownQuestion(id, wanting: [.password, .newPassword]) else { return .over }
            state.questions[index].password = password.bytes
            return state.prove([], for: id, &consequences)
        }
    }

    /// A finger was read that is enrolled. Only a trusted prompter may say so.
    package func matched(_ id: ItemUUID) -> PromptAnswer {
        withState { state, consequences in
            guard state.shownQuestion(id, wanting: [.biometry]) != nil else { return .over }
            guard state.wrongFingers < Self.mostWrongFingers else { return .over }
            state.wrongFingers = 0
            return state.prove(.biometry, for: id, &consequences)
        }
    }

    /// A finger was read that is not enrolled.
    package func mismatched(_ id: ItemUUID) -> PromptAnswer {
        withState { state, consequences in
            guard let index = state.shownQuestion(id, wanting: [.biometry]) else { return .over }
            state.wrongFingers += 1
            guard state.wrongFingers >= Self.mostWrongFingers else {
                state.showAgain(.notice, of: index, .notRecognised, &consequences)
                return .wrong
            }
            state.lose(.biometry, of: index, because: .biometryLockout, &consequences)
            return .over
        }
    }

    /// The reader wants the person told something. Only a trusted prompter may say so. Where nothing is typed it is shown.
    package func hint(_ id: ItemUUID, _ hint: FingerHint) {
        withState { state, consequences in
            guard let index = state.shownQuestion(id, wanting: [.biometry]) else { return }
            state.showAgain(.notice, of: index, hint, &consequences)
        }
    }

    /// The person said no, or cannot be asked by this prompter.
    ///
    /// - Parameter abilities: what the prompter that says so was asked for.
    package func decline(_ id: ItemUUID, because failure: PresenceFailure, of abilities: PrompterAbilities) {
        withState { state, consequences in
            guard let index = state.questions.firstIndex(where: { $0.id == id }), !state.questions[index].shown.isEmpty
            else { return }
            switch failure {
            case .noBiometry, .notEnrolled, .biometryLockout:
                state.lose(.biometry, of: index, because: failure, &consequences)
            case .nobodyToAsk where abilities == .typing && !state.questions[index].needsPassword:
                state.lose(.passcode, of: index, because: failure, &consequences)
            case .nobodyToAsk: state.fail(index, failure.error, &consequences)
            default:
                state.limits.declined(state.questions[index].asker)
                state.fail(index, failure.error, &consequences)
            }
        }
    }

    // MARK: - Proofs

    /// What was proved for an item, by these proofs together, and the password that was given with one.
    ///
    /// - Parameter isNew: whether the item is being written.
    func proved(
        _ credentials: ItemCredentials,
        for item: GuardedItem,
        isNew: Bool = false
    ) -> (factors: PresenceFactors, password: ApplicationPassword?) {
        guard !credentials.proofs.isEmpty else { return ([], nil) }
        return state.withLock { $0.proofs.proved(credentials, for: item, isNew: isNew) }
    }

    package func forget(_ proof: PresenceProof) {
        state.withLock { $0.proofs.forget(proof) }
    }

    /// In the middle of a lock: what was proved is worth nothing any more.
    func forgetAll() {
        state.withLock { $0.proofs = KeptProofs() }
    }
}
