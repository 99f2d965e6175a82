import EnclaveInterface
import KeychainModel

/// What is shown to whom, and how a question ends.
extension PresenceDeskState {
    var abilities: PrompterAbilities { prompters.reduce([]) { $0.union($1.abilities) } }

    /// What the owner can prove now, what is enrolled left out.
    private var obstacles: PresenceStatus {
        PresenceStatus(
            Dictionary(
                PresenceFactor.all.map { ($0.factors, PresenceStatus.Factor(obstacle: $0.obstacle(in: self))) },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }

    /// By what the owner can be told now.
    var status: PresenceStatus {
        PresenceStatus(
            Dictionary(
                obstacles.all.map { factor, state in
                    let seen = readers[factor]?.seen
                    let set = seen?.obstacle == nil ? seen?.set?.domainState : nil
                    return (factor, PresenceStatus.Factor(obstacle: state.obstacle, enrolled: set))
                },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }

    /// - Parameter proved: what nobody has to be asked for any more.
    func obstacle(to question: PresenceQuestion, beside proved: PresenceFactors = []) -> PresenceFailure? {
        if let obstacle = obstacles.obstacle(to: question.demand, beside: proved) { return obstacle }
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
    mutating func show(at clock: StartClock, _ effects: inout [PresenceEffect]) {
        while let first = questions.first {
            if first.isProved { return succeed(at: clock, &effects) }
            if let obstacle = remainingObstacle(to: first) {
                fail(0, obstacle.error, at: clock, &effects, showsNext: false)
                continue
            }
            var question = first
            let wanted = wanted(by: first)
            let factors = PresenceFactor.all.filter { wanted.isSuperset(of: $0.factors) }
            let readable = readable(for: first)
            let typed: Prompt.Wish =
                if let factor = factors.first(where: \.isTyped) { factor.wish } else if !factors.isEmpty {
                    .notice
                } else { first.question.password == .new ? .newPassword : .password }
            show(typed, of: &question, to: .typing, readable: readable, &effects)
            for factor in factors where !factor.isTyped {
                show(factor.wish, of: &question, to: factor.ability, readable: readable, &effects)
            }
            questions[0] = question
            return
        }
    }

    /// The factors that help a question, of those that a person can prove now.
    private func wanted(by open: OpenQuestion) -> PresenceFactors {
        let demand = open.question.demand
        return demand.isMet(by: open.proved) ? [] : demand.wanted(beside: open.proved, among: obstacles.available)
    }

    /// Of these the ones that a reader reads.
    private func readable(for open: OpenQuestion) -> PresenceFactors {
        let wanted = wanted(by: open)
        return PresenceFactor.all.reduce([]) { readable, factor in
            !factor.isTyped && wanted.isSuperset(of: factor.factors) ? readable.union(factor.factors) : readable
        }
    }

    /// Where a question is put: the one that is shown stays, and what others than installed programs ask waits.
    func place(of asker: Asker) -> Int {
        guard PromptLimits.goesFirst(asker) else { return questions.count }
        return questions.indices.dropFirst().first { !PromptLimits.goesFirst(questions[$0].asker) } ?? questions.count
    }

    private func remainingObstacle(to open: OpenQuestion) -> PresenceFailure? {
        let available = obstacles.available.union(open.proved)
        guard open.question.demand.isMet(by: available) else { return obstacle(to: open.question) ?? .failed }
        return open.needsPassword && !abilities.contains(.typing) ? .nobodyToAsk : nil
    }

    private func show(
        _ wish: Prompt.Wish,
        of question: inout OpenQuestion,
        to ability: PrompterAbilities,
        readable: PresenceFactors,
        _ effects: inout [PresenceEffect]
    ) {
        guard let prompter = prompters.last(where: { $0.abilities.contains(ability) }) else { return }
        guard question.shown[prompter.number]?.contains(wish) != true else { return }
        let prompt = question.prompt(wish, readable: readable, isLocked: isLocked)
        // Of what is typed, one thing is asked for at a time.
        let before = (question.shown[prompter.number] ?? []).filter { Self.ability(for: $0) != ability }
        question.shown[prompter.number] = before.union([wish])
        effects.append(.show(prompt, prompter: prompter.number))
    }

    /// What a prompter needs in order to be shown this.
    private static func ability(for wish: Prompt.Wish) -> PrompterAbilities {
        PresenceFactor.all.first { $0.wish == wish }?.ability ?? .typing
    }

    /// To those who are shown it already.
    func showAgain(
        _ wish: Prompt.Wish,
        of index: Int,
        _ hint: ReaderHint,
        by factor: PresenceFactors,
        _ effects: inout [PresenceEffect]
    ) {
        let open = questions[index]
        // The reader that says so reads, whatever has become of its report meanwhile.
        let readable = readable(for: open).union(factor)
        let prompt = open.prompt(wish, readable: readable, isLocked: isLocked, hint: hint)
        for prompter in prompters where open.shown[prompter.number]?.contains(wish) == true {
            effects.append(.show(prompt, prompter: prompter.number))
        }
    }

    mutating func prove(
        _ factors: PresenceFactors,
        for id: ItemUUID,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> PromptAnswer {
        guard questions.first?.id == id else { return .over }
        questions[0].isTrying = false
        questions[0].proved.formUnion(factors)
        show(at: clock, &effects)
        return .accepted
    }

    /// A way is closed; the others may still lead somewhere.
    mutating func lose(
        _ factor: PresenceFactor,
        of index: Int,
        because failure: PresenceFailure,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) {
        let open = questions[index]
        let left = obstacles.available.subtracting(factor.factors).union(open.proved)
        guard open.question.demand.isMet(by: left) else { return fail(index, failure.error, at: clock, &effects) }
        questions[index].shown = open.shown.mapValues { $0.subtracting([factor.wish]) }.filter { !$0.value.isEmpty }
    }

    private mutating func succeed(at clock: StartClock, _ effects: inout [PresenceEffect]) {
        let open = questions.removeFirst()
        takeAway(open, &effects)
        limits.succeeded(open.asker)
        resolve(open, at: clock, &effects)
        show(at: clock, &effects)
    }

    /// Keeps what was proved for a question, and answers it.
    mutating func resolve(_ open: OpenQuestion, at clock: StartClock, _ effects: inout [PresenceEffect]) {
        let proof = proofs.keep(
            open.proved,
            password: open.password,
            for: open.question.scope,
            on: open.connection,
            at: clock
        )
        effects.append(.resolve(open.id, .success(proof)))
    }

    mutating func fail(
        _ index: Int,
        _ error: KeychainError,
        at clock: StartClock,
        _ effects: inout [PresenceEffect],
        showsNext: Bool = true
    ) {
        let open = questions[index]
        effects.append(.resolve(open.id, .failure(error)))
        remove(index, at: clock, &effects, showsNext: showsNext)
    }

    mutating func remove(
        _ index: Int,
        at clock: StartClock,
        _ effects: inout [PresenceEffect],
        showsNext: Bool = true
    ) {
        takeAway(questions.remove(at: index), &effects)
        if index == 0, showsNext { show(at: clock, &effects) }
    }

    private func takeAway(_ open: OpenQuestion, _ effects: inout [PresenceEffect]) {
        for prompter in prompters where open.shown[prompter.number] != nil {
            effects.append(.withdraw(open.id, prompter: prompter.number))
        }
    }
}
