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
        let settle: @Sendable (Result<PresenceProof, KeychainError>) -> Void
        var proved: PresenceFactors = []
        var password: SecretBytes?
        var wrongPasscodes = 0
        /// To whom it is shown, and what is asked of them.
        var shown: [Int: Set<Prompt.Wish>] = [:]
        var isTrying = false

        func prompt(_ wish: Prompt.Wish, biometryIsEnough: Bool, hint: FingerHint? = nil) -> Prompt {
            Prompt(
                question: id,
                wish: wish,
                asker: question.asker,
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

    // MARK: - What is seen of fingers

    /// Takes in what can be seen of the owner's fingers. Only a trusted prompter may say so.
    package func saw(_ sight: BiometrySight) {
        state.withLock { state in
            state.sight = sight
            state.silence = nil
            for looker in state.lookers { looker.signal() }
            state.lookers = []
        }
    }

    /// Has somebody look at the owner's fingers, and waits until they have, or for some seconds. Before this, or after
    /// nobody has answered, no finger can be read.
    package func look() {
        let seen = DispatchSemaphore(value: 0)
        let isAsked = withState { state, consequences in
            guard let attendant = state.prompters.last(where: { $0.abilities.contains(.biometry) }) else {
                return false
            }
            // Not every question waits for one who is silent.
            if let silence = state.silence, .now - silence < Self.pauseAfterSilence { return false }
            state.lookers.append(seen)
            consequences.append { attendant.prompter.look() }
            return true
        }
        guard isAsked, seen.wait(timeout: .now() + Self.patienceToLook) == .timedOut else { return }
        state.withLock { state in
            state.lookers.removeAll { $0 === seen }
            state.sight = nil
            state.silence = .now
        }
    }

    /// The fingers that are enrolled, as the last `look` has found; nil where nobody can tell.
    var biometrySet: BiometrySet? { state.withLock { $0.sight?.set } }

    private static let patienceToLook: DispatchTimeInterval = .seconds(4)
    private static let pauseAfterSilence: Duration = .seconds(5)

    /// Looks where the demand is one that a finger can meet.
    package func look(for demand: PresenceDemand) {
        if demand.alternatives.contains(where: { $0.contains(.biometry) }) { look() }
    }

    // MARK: - Questions

    /// Opens a question. What is known of fingers is what the last `look` has found.
    ///
    /// - Parameter settle: called once, from any thread, unless this throws or the question is withdrawn.
    /// - Returns: what withdraws it.
    /// - Throws: with the `PresenceFailure` where nobody can be asked, or may be.
    package func begin(
        _ question: PresenceQuestion,
        settle: @escaping @Sendable (Result<PresenceProof, KeychainError>) -> Void
    ) throws(KeychainError) -> ItemUUID {
        let id = ItemUUID()
        let failure = withState { state, consequences -> PresenceFailure? in
            if let obstacle = state.obstacle(to: question) { return obstacle }
            guard state.limits.allows(question.asker, open: state.questions.map(\.question.asker)) else {
                return .tooMany
            }
            state.questions.append(OpenQuestion(id: id, question: question, settle: settle))
            if state.questions.count == 1 { state.show(&consequences) }
            return nil
        }
        if let failure { throw failure.error }
        return id
    }

    /// Opens a question and waits for what comes of it.
    ///
    /// - Parameter isWanted: asked again and again; once it says no, the question is withdrawn.
    /// - Throws: with the `PresenceFailure`.
    func ask(_ question: PresenceQuestion, isWanted: () -> Bool) throws(KeychainError) -> PresenceProof {
        let settled = SettledQuestion()
        look(for: question.demand)
        let id = try begin(question) { settled.settle($0) }
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
            case .nobodyToAsk where abilities == .typing:
                state.lose(.passcode, of: index, because: failure, &consequences)
            default:
                state.limits.declined(state.questions[index].question.asker)
                state.fail(index, failure.error, &consequences)
            }
        }
    }

    // MARK: - Proofs

    /// What was proved for an item, by these proofs together, and the password that was given with one.
    func proved(
        _ proofs: [PresenceProof],
        for item: ItemUUID
    ) -> (factors: PresenceFactors, password: ApplicationPassword?) {
        guard !proofs.isEmpty else { return ([], nil) }
        return state.withLock { $0.proofs.proved(proofs, for: item) }
    }

    package func forget(_ proof: PresenceProof) {
        state.withLock { $0.proofs.forget(proof) }
    }

    /// In the middle of a lock: what was proved is worth nothing any more.
    func forgetAll() {
        state.withLock { $0.proofs = KeptProofs() }
    }
}

// MARK: - Under the lock

extension PresenceDesk.State {
    var abilities: PrompterAbilities { prompters.reduce([]) { $0.union($1.abilities) } }

    /// What can be had of a person at all.
    private var available: PresenceFactors {
        PresenceFactors.all.subtracting(obstacle(to: .passcode) == nil ? [] : .passcode)
            .subtracting(obstacle(to: .biometry) == nil ? [] : .biometry)
    }

    /// Why a factor cannot be had; of both, why neither can.
    func obstacle(to factor: PresenceFactors) -> PresenceFailure? {
        if factor == .biometry {
            guard abilities.contains(.biometry), let sight else { return .noBiometry }
            if let obstacle = sight.obstacle { return obstacle }
            if wrongFingers >= PresenceDesk.mostWrongFingers { return .biometryLockout }
            // Whoever touches a reader has to see what for.
            return abilities.contains(.typing) ? nil : .nobodyToAsk
        }
        guard hasPasscode else { return .noPasscode }
        return abilities.contains(.typing) ? nil : .nobodyToAsk
    }

    func obstacle(to question: PresenceQuestion) -> PresenceFailure? {
        if question.demand.alternatives.isEmpty { return .noCompanion }
        let available = available
        guard question.demand.isMet(by: available) else {
            // The reason of the way that most have.
            let missing = question.demand.alternatives.reduce(PresenceFactors.all) { $0.intersection($1) }
            if missing.contains(.biometry), let reason = obstacle(to: .biometry) { return reason }
            return obstacle(to: .passcode) ?? obstacle(to: .biometry)
        }
        if question.password != .none, !abilities.contains(.typing) { return .nobodyToAsk }
        return nil
    }

    /// The question that is shown now, if it is this one and asks for that.
    func shownQuestion(_ id: ItemUUID, wanting wishes: Set<Prompt.Wish>) -> Int? {
        guard questions.first?.id == id, questions[0].shown.values.contains(where: { !$0.isDisjoint(with: wishes) })
        else { return nil }
        return 0
    }

    /// Has the first question shown to who can do something for it, or settles it.
    mutating func show(_ consequences: inout [PresenceDesk.Consequence]) {
        while let first = questions.first {
            if first.question.demand.isMet(by: first.proved), first.question.password == .none || first.password != nil
            {
                return succeed(&consequences)
            }
            if let obstacle = remainingObstacle(to: first) {
                fail(0, obstacle.error, &consequences, showsNext: false)
                continue
            }
            var question = first
            let wanted =
                first.question.demand.isMet(by: first.proved)
                ? [] : first.question.demand.wanted(beside: first.proved, among: available)
            let typed: Prompt.Wish =
                if wanted.contains(.passcode) { .passcode } else if !wanted.isEmpty { .notice } else {
                    first.question.password == .new ? .newPassword : .password
                }
            show(typed, of: &question, to: .typing, biometryIsEnough: wanted.contains(.biometry), &consequences)
            if wanted.contains(.biometry) {
                show(.biometry, of: &question, to: .biometry, biometryIsEnough: true, &consequences)
            }
            questions[0] = question
            return
        }
    }

    private func remainingObstacle(to open: PresenceDesk.OpenQuestion) -> PresenceFailure? {
        let available = available.union(open.proved)
        guard open.question.demand.isMet(by: available) else { return obstacle(to: open.question) ?? .failed }
        let needsPassword = open.question.password != .none && open.password == nil
        return needsPassword && !abilities.contains(.typing) ? .nobodyToAsk : nil
    }

    private func show(
        _ wish: Prompt.Wish,
        of question: inout PresenceDesk.OpenQuestion,
        to ability: PrompterAbilities,
        biometryIsEnough: Bool,
        _ consequences: inout [PresenceDesk.Consequence]
    ) {
        guard let attendant = prompters.last(where: { $0.abilities.contains(ability) }) else { return }
        guard question.shown[attendant.number]?.contains(wish) != true else { return }
        let prompt = question.prompt(wish, biometryIsEnough: biometryIsEnough)
        // Of what is typed, one thing is asked for at a time.
        let before = (question.shown[attendant.number] ?? []).intersection(
            ability == .typing ? [.biometry] : Prompt.Wish.typed
        )
        question.shown[attendant.number] = before.union([wish])
        consequences.append { attendant.prompter.show(prompt) }
    }

    /// To those who are shown it already.
    func showAgain(
        _ wish: Prompt.Wish,
        of index: Int,
        _ hint: FingerHint,
        _ consequences: inout [PresenceDesk.Consequence]
    ) {
        let open = questions[index]
        let prompt = open.prompt(wish, biometryIsEnough: true, hint: hint)
        for attendant in prompters where open.shown[attendant.number]?.contains(wish) == true {
            consequences.append { attendant.prompter.show(prompt) }
        }
    }

    mutating func prove(
        _ factors: PresenceFactors,
        for id: ItemUUID,
        _ consequences: inout [PresenceDesk.Consequence]
    ) -> PromptAnswer {
        guard questions.first?.id == id else { return .over }
        questions[0].isTrying = false
        questions[0].proved.formUnion(factors)
        show(&consequences)
        return .accepted
    }

    /// A way is closed; the others may still lead somewhere.
    mutating func lose(
        _ factor: PresenceFactors,
        of index: Int,
        because failure: PresenceFailure,
        _ consequences: inout [PresenceDesk.Consequence]
    ) {
        let open = questions[index]
        let left = available.subtracting(factor).union(open.proved)
        guard open.question.demand.isMet(by: left) else { return fail(index, failure.error, &consequences) }
        let wish: Prompt.Wish = factor == .biometry ? .biometry : .passcode
        questions[index].shown = open.shown.mapValues { $0.subtracting([wish]) }.filter { !$0.value.isEmpty }
    }

    private mutating func succeed(_ consequences: inout [PresenceDesk.Consequence]) {
        let open = questions.removeFirst()
        takeAway(open, &consequences)
        limits.succeeded(open.question.asker)
        let proof = proofs.keep(open.proved, password: open.password, for: open.question.items)
        consequences.append { open.settle(.success(proof)) }
        show(&consequences)
    }

    mutating func fail(
        _ index: Int,
        _ error: KeychainError,
        _ consequences: inout [PresenceDesk.Consequence],
        showsNext: Bool = true
    ) {
        let open = questions[index]
        consequences.append { open.settle(.failure(error)) }
        remove(index, &consequences, showsNext: showsNext)
    }

    mutating func remove(
        _ index: Int,
        _ consequences: inout [PresenceDesk.Consequence],
        showsNext: Bool = true
    ) {
        takeAway(questions.remove(at: index), &consequences)
        if index == 0, showsNext { show(&consequences) }
    }

    private func takeAway(_ open: PresenceDesk.OpenQuestion, _ consequences: inout [PresenceDesk.Consequence]) {
        for attendant in prompters where open.shown[attendant.number] != nil {
            consequences.append { attendant.prompter.withdraw(open.id) }
        }
    }
}
