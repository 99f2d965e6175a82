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

    var prompters: [RegisteredPrompter] = []
    private var nextPrompter = 1
    /// The first one is shown.
    var questions: [OpenQuestion] = []
    var proofs = KeptProofs()
    var limits = PromptLimits()
    /// Wrong fingers since the last passcode.
    private(set) var wrongFingers = 0
    /// The last report about the owner's fingers; nil before the first.
    private(set) var biometry: BiometryState?
    /// The last unlock of the owner's session with a finger that counts still.
    var unlock: FingerUnlock?
    /// The calls that wait for the biometry state.
    private(set) var refreshes: Set<Int> = []
    private var nextRefresh = 1
    /// When a report last failed to come in time, in nanoseconds.
    private var silence: UInt64?
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
        if !abilities.contains(.biometry) { biometry = nil }
        guard !questions.isEmpty, questions[0].shown.removeValue(forKey: number) != nil else { return }
        show(at: clock, &effects)
    }

    // MARK: - The biometry state

    mutating func biometryChanged(_ biometry: BiometryState, _ effects: inout [PresenceEffect]) {
        self.biometry = biometry
        forgetUnlockOfOthers()
        silence = nil
        effects += refreshes.map { .wake(refresh: $0) }
        refreshes = []
    }

    /// - Returns: the number of the refresh; nil where no prompter is asked.
    mutating func beginRefresh(at clock: StartClock, _ effects: inout [PresenceEffect]) -> Int? {
        guard let prompter = prompters.last(where: { $0.abilities.contains(.biometry) }) else { return nil }
        // Not every question waits for a prompter that is silent.
        if let silence, clock.now >= silence, clock.now - silence < Self.pauseAfterSilence { return nil }
        let number = nextRefresh
        nextRefresh += 1
        refreshes.insert(number)
        effects.append(.readBiometry(prompter: prompter.number))
        return number
    }

    /// No report came in time.
    mutating func refreshTimedOut(_ number: Int, at clock: StartClock) {
        // The answer may have come just now.
        guard refreshes.remove(number) != nil else { return }
        biometry = nil
        silence = clock.now
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
    mutating func secretTyped(_ id: ItemUUID) -> PresenceFactor? {
        guard
            let factor = PresenceFactor.all.first(where: { $0.isTyped && shownQuestion(id, wanting: [$0.wish]) != nil }
            ),
            let index = shownQuestion(id, wanting: [factor.wish]), !questions[index].isTrying
        else { return nil }
        questions[index].isTrying = true
        return factor
    }

    mutating func verified(
        _ factor: PresenceFactor,
        for id: ItemUUID,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> PromptAnswer {
        if factor.factors == .passcode { wrongFingers = 0 }
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

    mutating func fingerMatched(
        _ id: ItemUUID,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> PromptAnswer {
        guard shownQuestion(id, wanting: [.biometry]) != nil else { return .over }
        guard wrongFingers < PresenceDesk.mostWrongFingers else { return .over }
        wrongFingers = 0
        return prove(.biometry, for: id, at: clock, &effects)
    }

    mutating func fingerMismatched(
        _ id: ItemUUID,
        at clock: StartClock,
        _ effects: inout [PresenceEffect]
    ) -> PromptAnswer {
        guard let index = shownQuestion(id, wanting: [.biometry]) else { return .over }
        wrongFingers += 1
        if wrongFingers >= PresenceDesk.mostWrongFingers { unlock = nil }
        guard wrongFingers >= PresenceDesk.mostWrongFingers else {
            showAgain(.notice, of: index, .notRecognised, &effects)
            return .wrong
        }
        lose(.biometry, of: index, because: .biometryLockout, at: clock, &effects)
        return .over
    }

    func hinted(_ id: ItemUUID, _ hint: FingerHint, _ effects: inout [PresenceEffect]) {
        guard let index = shownQuestion(id, wanting: [.biometry]) else { return }
        showAgain(.notice, of: index, hint, &effects)
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
            lose(.biometry, of: index, because: failure, at: clock, &effects)
        case .nobodyToAsk where abilities == .typing && !questions[index].needsPassword:
            lose(.passcode, of: index, because: failure, at: clock, &effects)
        case .nobodyToAsk: fail(index, failure.error, at: clock, &effects)
        default:
            limits.declined(questions[index].asker, at: clock)
            fail(index, failure.error, at: clock, &effects)
        }
    }
}
