import EnclaveInterface
import KeychainModel

/// What the desk knows, as a state machine: each method takes in one event and appends the effects that follow from it.
///
/// It knows no threads, no clocks and no prompters: instants are passed in, and prompters, callers and refreshes are
/// numbers and identifiers that `PresenceDesk` resolves.
struct PresenceDeskState {
    struct RegisteredPrompter {
        let number: Int
        let abilities: PrompterAbilities
    }

    /// What is known of the reader of a factor.
    struct FactorReader {
        /// Its last report; nil before the first.
        var seen: ReaderState?
        /// In a row, since the last passcode.
        var mismatches = 0
        /// When a report last failed to come in time, in nanoseconds.
        var silence: UInt64?
    }

    var prompters: [RegisteredPrompter] = []
    private var nextPrompter = 1
    /// The first one is shown.
    var questions: [OpenQuestion] = []
    var proofs = KeptProofs()
    var limits = PromptLimits()
    private(set) var readers: [PresenceFactors: FactorReader] = [:]
    /// The last unlock of the owner's session with a finger that counts still.
    var unlock: FingerUnlock?
    /// The calls that wait for a reader's report, each with its factor.
    private(set) var refreshes: [Int: PresenceFactors] = [:]
    private var nextRefresh = 1
    private(set) var hasPasscode = false
    private var lock = EnclaveState.Lock.beforeFirstUnlock

    var isLocked: Bool { lock != .unlocked }

    private static let pauseAfterSilence: UInt64 = 5_000_000_000

    // MARK: - The keychain and the prompters

    /// The lock state or the passcode has changed. If the keychain was locked, all questions fail.
    mutating func enclaveChanged(_ enclave: EnclaveState, at clock: StartClock, _ effects: inout [PresenceEffect]) {
        hasPasscode = enclave.hasPasscode
        defer { lock = enclave.lock }
        guard enclave.lock.rawValue < lock.rawValue else { return }
        forgetProofs()
        while !questions.isEmpty {
            fail(questions.count - 1, PresenceFailure.interrupted.error, at: clock, &effects, showsNext: false)
        }
    }

    /// What was proved, in whichever way, is worth nothing any more.
    mutating func forgetProofs() {
        proofs = KeptProofs()
        unlock = nil
    }

    /// - Returns: the number of the prompter.
    mutating func prompterCame(_ abilities: PrompterAbilities) -> Int {
        let number = nextPrompter
        nextPrompter += 1
        prompters.append(RegisteredPrompter(number: number, abilities: abilities))
        return number
    }

    /// A prompter is gone. What it was shown goes to another one.
    mutating func prompterLeft(_ number: Int, at clock: StartClock, _ effects: inout [PresenceEffect]) {
        prompters.removeAll { $0.number == number }
        for factor in readers.keys where !abilities.contains(.reading(factor)) { readers[factor]?.seen = nil }
        guard !questions.isEmpty, questions[0].shown.removeValue(forKey: number) != nil else { return }
        show(at: clock, &effects)
    }

    // MARK: - What readers see

    mutating func readerChanged(_ seen: ReaderState, of factor: PresenceFactors, _ effects: inout [PresenceEffect]) {
        // What is typed has no reader.
        guard PresenceFactor.read(factor) != nil else { return }
        readers[factor, default: FactorReader()].seen = seen
        readers[factor]?.silence = nil
        forgetUnlockOfOthers()
        let waiting = refreshes.filter { $0.value == factor }.keys
        effects += waiting.map { .wake(refresh: $0) }
        for number in waiting { refreshes[number] = nil }
    }

    /// - Returns: the number of the refresh; nil where no prompter is asked.
    mutating func beginRefresh(
        of factor: PresenceFactors,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> Int? {
        guard let prompter = prompters.last(where: { $0.abilities.contains(.reading(factor)) }) else { return nil }
        // Not every question waits for a prompter that is silent.
        if let silence = readers[factor]?.silence, clock.now >= silence, clock.now - silence < Self.pauseAfterSilence {
            return nil
        }
        let number = nextRefresh
        nextRefresh += 1
        refreshes[number] = factor
        effects.append(.requestState(of: factor, prompter: prompter.number))
        return number
    }

    /// No report came in time.
    mutating func refreshTimedOut(_ number: Int, at clock: StartClock) {
        // The answer may have come just now.
        guard let factor = refreshes.removeValue(forKey: number) else { return }
        readers[factor, default: FactorReader()].seen = nil
        readers[factor]?.silence = clock.now
    }

    /// Whether a reader has read too much that was wrong: the passcode has to be given first.
    func isLockedOut(_ factor: PresenceFactors) -> Bool {
        guard let known = PresenceFactor.read(factor) else { return false }
        return readers[factor].map { $0.mismatches >= known.reader.mostMismatches } ?? false
    }

    // MARK: - Questions

    /// A question was asked.
    mutating func asked(
        _ question: PresenceQuestion,
        _ id: ItemUUID,
        of asker: Asker,
        on connection: UInt64,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> KeychainError? {
        let reused = reused(by: question, at: clock)
        if let obstacle = obstacle(to: question, beside: reused) { return obstacle.error }
        let groups: [String]
        switch question.scope {
        case .items(let items): groups = Set(items.values).sorted()
        case .newItem(let group): groups = [group]
        case .context(let context):
            guard let opened = proofs.groups(of: context, on: connection, at: clock) else {
                return PresenceContextID.isOver
            }
            groups = opened
        case .ownersView: groups = []
        }
        guard limits.allows(asker, open: questions.map(\.asker), at: clock) else {
            return PresenceFailure.tooMany.error
        }
        if case .context(let context) = question.scope, !proofs.bind(context, to: asker) {
            return KeychainError(.noPermission, "the context is another program's")
        }
        var open = OpenQuestion(id: id, question: question, asker: asker, groups: groups, connection: connection)
        open.proved = reused
        if !reused.isEmpty, open.isProved {
            // Nobody was asked, so this says nothing about prompts that were declined before.
            resolve(open, at: clock, &effects)
            return nil
        }
        questions.insert(open, at: place(of: asker))
        if questions.count == 1 { show(at: clock, &effects) }
        return nil
    }

    /// The asker is gone, or has waited long enough.
    mutating func withdrawn(_ id: ItemUUID, at clock: StartClock, _ effects: inout [PresenceEffect]) {
        guard let index = questions.firstIndex(where: { $0.id == id }) else { return }
        remove(index, at: clock, &effects)
    }

    // MARK: - Answers

    /// A passcode, or another factor's secret, was typed.
    ///
    /// - Returns: the factor whose secret is to be verified now; nil where none is asked for.
    mutating func secretTyped(_ id: ItemUUID) -> (factor: PresenceFactor, secret: PresenceFactor.Secret)? {
        for factor in PresenceFactor.all {
            guard case .typed(let secret) = factor.way, let index = shownQuestion(id, wanting: [factor.wish]) else {
                continue
            }
            guard !questions[index].isTrying else { return nil }
            questions[index].isTrying = true
            return (factor, secret)
        }
        return nil
    }

    mutating func verified(
        _ factor: PresenceFactor,
        for id: ItemUUID,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> PromptAnswer {
        if factor.factors == .passcode {
            for read in readers.keys { readers[read]?.mismatches = 0 }
        }
        return prove(factor.factors, for: id, at: clock, &effects)
    }

    mutating func verificationFailed(
        _ id: ItemUUID,
        _ error: KeychainError,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> PromptAnswer {
        guard let index = questions.firstIndex(where: { $0.id == id }) else { return .over }
        questions[index].isTrying = false
        questions[index].wrongSecrets += 1
        // What cannot be tried now is not asked for again.
        let isWrong = error.code == .authenticationFailed || error.code == .invalidParameter
        guard isWrong, questions[index].wrongSecrets < PresenceDesk.mostWrongPasscodes else {
            fail(index, isWrong ? PresenceFailure.failed.error : error, at: clock, &effects)
            return .over
        }
        return .wrong
    }

    mutating func passwordTyped(
        _ id: ItemUUID,
        _ password: ApplicationPassword,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> PromptAnswer {
        guard let index = shownQuestion(id, wanting: [.password, .newPassword]) else { return .over }
        questions[index].password = password.bytes
        return prove([], for: id, at: clock, &effects)
    }

    /// A reader has read what is enrolled.
    mutating func matched(
        _ id: ItemUUID,
        by factor: PresenceFactors,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> PromptAnswer {
        guard let known = PresenceFactor.read(factor), shownQuestion(id, wanting: [known.factor.wish]) != nil,
            !isLockedOut(factor)
        else { return .over }
        readers[factor]?.mismatches = 0
        return prove(factor, for: id, at: clock, &effects)
    }

    /// A reader has read what is not enrolled.
    mutating func mismatched(
        _ id: ItemUUID,
        by factor: PresenceFactors,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> PromptAnswer {
        guard let known = PresenceFactor.read(factor), let index = shownQuestion(id, wanting: [known.factor.wish])
        else { return .over }
        readers[factor, default: FactorReader()].mismatches += 1
        guard isLockedOut(factor) else {
            showAgain(.notice, of: index, .notRecognised, by: factor, &effects)
            return .wrong
        }
        if factor == FingerUnlock.factor { unlock = nil }
        lose(known.factor, of: index, because: known.reader.lockout, at: clock, &effects)
        return .over
    }

    func hinted(
        _ id: ItemUUID,
        _ hint: ReaderHint,
        by factor: PresenceFactors,
        _ effects: inout [PresenceEffect]
    ) {
        guard let known = PresenceFactor.read(factor), let index = shownQuestion(id, wanting: [known.factor.wish])
        else { return }
        showAgain(.notice, of: index, hint, by: factor, &effects)
    }

    /// The person said no, or cannot be asked by this prompter.
    mutating func declined(
        _ id: ItemUUID,
        because failure: PresenceFailure,
        of abilities: PrompterAbilities,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) {
        guard let index = questions.firstIndex(where: { $0.id == id }), !questions[index].shown.isEmpty else { return }
        switch failure {
        case .noBiometry, .notEnrolled, .biometryLockout:
            let read = PresenceFactor.all.first { !$0.isTyped && abilities.contains($0.ability) }
            lose(read ?? .biometry, of: index, because: failure, at: clock, &effects)
        case .nobodyToAsk where abilities == .typing && !questions[index].needsPassword:
            let typed = PresenceFactor.all.first { $0.isTyped && shownQuestion(id, wanting: [$0.wish]) != nil }
            lose(typed ?? .passcode, of: index, because: failure, at: clock, &effects)
        case .nobodyToAsk: fail(index, failure.error, at: clock, &effects)
        default:
            limits.declined(questions[index].asker, at: clock)
            fail(index, failure.error, at: clock, &effects)
        }
    }
}
