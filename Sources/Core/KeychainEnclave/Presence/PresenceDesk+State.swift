import KeychainModel

/// What is done under the desk's lock.
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

    /// Where a question is put: the one that is shown stays, and what others than installed programs ask waits.
    func place(of asker: Asker) -> Int {
        guard PromptLimits.goesFirst(asker) else { return questions.count }
        return questions.indices.dropFirst().first { !PromptLimits.goesFirst(questions[$0].asker) } ?? questions.count
    }

    private func remainingObstacle(to open: PresenceDesk.OpenQuestion) -> PresenceFailure? {
        let available = available.union(open.proved)
        guard open.question.demand.isMet(by: available) else { return obstacle(to: open.question) ?? .failed }
        return open.needsPassword && !abilities.contains(.typing) ? .nobodyToAsk : nil
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
        limits.succeeded(open.asker)
        let proof = proofs.keep(
            open.proved,
            password: open.password,
            for: open.question.scope,
            on: open.connection
        )
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
