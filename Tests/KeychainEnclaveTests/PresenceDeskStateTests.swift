import KeychainModel
import KeychainTestSupport
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

/// The state machine alone: no threads, no sleeps, and a clock that the test sets.
@Suite("Transitions of the desk's state machine")
struct PresenceDeskStateTests {
    /// A state machine, and what it has done.
    private final class Desk {
        var state = PresenceDeskState()
        var effects: [PresenceEffect] = []
        var now: UInt64 = 1_000_000_000_000
        var clock: StartClock { StartClock(start: [UInt8](repeating: 1, count: 16), now: now) }

        init(_ lock: EnclaveState.Lock = .unlocked, biometry: Bool = false) {
            enclave(lock)
            if biometry {
                _ = state.prompterCame(.biometry)
                state.readerChanged(ReaderState(obstacle: nil, set: nil), of: .biometry, &effects)
            }
        }

        func enclave(_ lock: EnclaveState.Lock, hasPasscode: Bool = true) {
            let enclave = EnclaveState(
                keychain: ItemUUID(),
                keybag: ItemUUID(),
                generation: 1,
                lock: lock,
                hasPasscode: hasPasscode,
                isRotating: false,
                epoch: 1,
                settings: LockSettings(),
                binding: .memory
            )
            state.enclaveChanged(enclave, at: clock, &effects)
        }

        /// - Returns: the question; nil where it is refused.
        func ask(_ demand: PresenceDemand = .passcode, of program: String = "program") -> ItemUUID? {
            let id = ItemUUID()
            let asker = Asker.named(program, isVerified: true)
            let claim = AskerClaim.named(program, isVerified: true)
            let question = PresenceQuestion(of: claim, demand, for: .items([ItemUUID(): "group"]))
            return state.asked(question, id, of: asker, on: 0, at: clock, &effects) == nil ? id : nil
        }

        func passcode(_ id: ItemUUID) -> PromptAnswer {
            typed(id) ? verified(id) : .over
        }

        func wrongPasscode(_ id: ItemUUID) -> PromptAnswer {
            let error = KeychainError(.authenticationFailed, "wrong")
            return typed(id) ? state.verificationFailed(id, error, at: clock, &effects) : .over
        }

        func typed(_ id: ItemUUID) -> Bool { state.secretTyped(id)?.factor.factors == .passcode }
        func verified(_ id: ItemUUID) -> PromptAnswer { state.verified(.passcode, for: id, at: clock, &effects) }
        func matched(_ id: ItemUUID, by factor: PresenceFactors = .biometry) -> PromptAnswer {
            state.matched(id, by: factor, at: clock, &effects)
        }
        func mismatched(_ id: ItemUUID, by factor: PresenceFactors = .biometry) -> PromptAnswer {
            state.mismatched(id, by: factor, at: clock, &effects)
        }
        func beginRefresh() -> Int? { state.beginRefresh(of: .biometry, at: clock, &effects) }
        var seen: ReaderState? { state.readers[.biometry]?.seen }

        func leave(_ prompter: Int) { state.prompterLeft(prompter, at: clock, &effects) }

        func decline(_ id: ItemUUID, _ failure: PresenceFailure, _ abilities: PrompterAbilities = .typing) {
            state.declined(id, because: failure, of: abilities, at: clock, &effects)
        }

        /// The answers of a question: nil for a proof.
        func answers(_ id: ItemUUID) -> [PresenceFailure?] {
            effects.compactMap { effect in
                guard case .resolve(id, let result) = effect else { return nil }
                guard case .failure(let error) = result, case .failed(let failure) = error.presence else {
                    return .some(nil)
                }
                return failure
            }
        }

        func prompters(shown id: ItemUUID) -> [Int] {
            effects.compactMap { effect in
                if case .show(let prompt, let number) = effect, prompt.question == id { number } else { nil }
            }
        }

        func isWithdrawn(_ id: ItemUUID, from prompter: Int) -> Bool {
            effects.contains { effect in if case .withdraw(id, prompter) = effect { true } else { false } }
        }
    }

    @Test func `of two questions the second is shown after the first is answered`() throws {
        let desk = Desk()
        let prompter = desk.state.prompterCame(.typing)
        let first = try #require(desk.ask())
        let second = try #require(desk.ask())
        #expect(desk.prompters(shown: first) == [prompter])
        #expect(desk.prompters(shown: second).isEmpty)
        #expect(desk.passcode(second) == .over)
        #expect(desk.passcode(first) == .accepted)
        #expect(desk.answers(first) == [nil])
        #expect(desk.prompters(shown: second) == [prompter])
    }

    @Test func `a question of a prompter that dies goes to another one`() throws {
        let desk = Desk()
        let older = desk.state.prompterCame(.typing)
        let newer = desk.state.prompterCame(.typing)
        let id = try #require(desk.ask())
        #expect(desk.prompters(shown: id) == [newer])
        desk.leave(newer)
        #expect(desk.prompters(shown: id) == [newer, older])
        #expect(desk.answers(id).isEmpty)
        desk.leave(older)
        #expect(desk.answers(id) == [.nobodyToAsk])
    }

    @Test func `a prompter that replaces another is asked from then on`() throws {
        let desk = Desk()
        let older = desk.state.prompterCame(.typing)
        let first = try #require(desk.ask())
        let newer = desk.state.prompterCame(.typing)
        desk.leave(older)
        #expect(desk.prompters(shown: first) == [older, newer])
    }

    @Test func `whichever comes first of finger and passcode answers, and the other is late`() throws {
        for fingerFirst in [true, false] {
            let desk = Desk(biometry: true)
            _ = desk.state.prompterCame(.typing)
            let id = try #require(desk.ask(.owner))
            #expect(desk.prompters(shown: id).count == 2)
            // The passcode is being verified when the finger matches.
            #expect(desk.typed(id))
            if fingerFirst {
                #expect(desk.matched(id) == .accepted)
                #expect(desk.verified(id) == .over)
            } else {
                #expect(desk.verified(id) == .accepted)
                #expect(desk.matched(id) == .over)
            }
            #expect(desk.answers(id) == [nil])
            #expect(desk.isWithdrawn(id, from: 1) && desk.isWithdrawn(id, from: 2))
        }
    }

    @Test func `a withdrawn question that is answered late changes nothing`() throws {
        let desk = Desk()
        let prompter = desk.state.prompterCame(.typing)
        let first = try #require(desk.ask())
        let second = try #require(desk.ask())
        #expect(desk.typed(first))
        desk.state.withdrawn(first, at: desk.clock, &desk.effects)
        #expect(desk.isWithdrawn(first, from: prompter))
        #expect(desk.prompters(shown: second) == [prompter])
        #expect(desk.verified(first) == .over)
        #expect(desk.answers(first).isEmpty && desk.answers(second).isEmpty)
    }

    @Test func `the third wrong passcode fails the question`() throws {
        let desk = Desk()
        _ = desk.state.prompterCame(.typing)
        let id = try #require(desk.ask())
        #expect(desk.wrongPasscode(id) == .wrong)
        #expect(desk.wrongPasscode(id) == .wrong)
        #expect(desk.wrongPasscode(id) == .over)
        #expect(desk.answers(id) == [.failed])
    }

    @Test func `only one passcode is verified at a time`() throws {
        let desk = Desk()
        _ = desk.state.prompterCame(.typing)
        let id = try #require(desk.ask())
        #expect(desk.typed(id))
        #expect(!desk.typed(id))
    }

    @Test func `a prompter cannot say that it has read what has to be typed`() throws {
        let desk = Desk(biometry: true)
        _ = desk.state.prompterCame([.typing, .biometry])
        for demand in [PresenceDemand.passcode, .owner, .all(of: [.passcode, .biometry])] {
            let id = try #require(desk.ask(demand))
            for factor in [PresenceFactors.passcode, .all, []] {
                #expect(desk.matched(id, by: factor) == .over)
                #expect(desk.mismatched(id, by: factor) == .over)
                desk.state.readerChanged(ReaderState(obstacle: nil, set: .empty), of: factor, &desk.effects)
            }
            #expect(desk.answers(id).isEmpty)
            #expect(Set(desk.state.readers.keys).isSubset(of: [.biometry]))
            desk.state.withdrawn(id, at: desk.clock, &desk.effects)
        }
    }

    @Test(arguments: [.biometry, .typing, []] as [PrompterAbilities])
    func `without a reader the passcode stays open, whichever prompter says so`(abilities: PrompterAbilities) throws {
        for failure in [PresenceFailure.noBiometry, .notEnrolled, .biometryLockout] {
            let desk = Desk(biometry: true)
            _ = desk.state.prompterCame(.typing)
            let id = try #require(desk.ask(.owner))
            desk.decline(id, failure, abilities)
            #expect(desk.answers(id).isEmpty)
            #expect(desk.matched(id) == .over)
            #expect(desk.passcode(id) == .accepted)
            #expect(desk.answers(id) == [nil])
        }
    }

    @Test func `a hint names its reader, also after the reader's report has become too old`() throws {
        let desk = Desk(biometry: true)
        _ = desk.state.prompterCame(.typing)
        let id = try #require(desk.ask(.biometry))
        let refresh = try #require(desk.beginRefresh())
        desk.state.refreshTimedOut(refresh, at: desk.clock)
        #expect(desk.seen == nil)
        desk.effects = []
        desk.state.hinted(id, .retry, by: .biometry, &desk.effects)
        let hinted = desk.effects.compactMap { if case .show(let prompt, _) = $0 { prompt } else { nil } }
        #expect(hinted.map(\.wish) == [.notice])
        #expect(hinted.map(\.readable) == [.biometry])
    }

    @Test func `the fifth wrong finger closes that way until a passcode is given`() throws {
        let desk = Desk(biometry: true)
        _ = desk.state.prompterCame(.typing)
        let id = try #require(desk.ask(.owner))
        for _ in 1..<PresenceDesk.mostWrongFingers {
            #expect(desk.mismatched(id) == .wrong)
        }
        #expect(desk.mismatched(id) == .over)
        #expect(desk.matched(id) == .over)
        #expect(desk.answers(id).isEmpty)
        #expect(desk.ask(.biometry) == nil)
        #expect(desk.passcode(id) == .accepted)
        #expect(desk.ask(.biometry) != nil)
    }

    @Test func `a lock fails every question`() throws {
        let desk = Desk()
        _ = desk.state.prompterCame(.typing)
        let ids = try [#require(desk.ask()), #require(desk.ask())]
        desk.enclave(.locked)
        #expect(ids.map(desk.answers) == [[.interrupted], [.interrupted]])
        #expect(desk.state.questions.isEmpty)
    }

    @Test func `a look that nobody answers is not made again for five seconds`() throws {
        let desk = Desk(biometry: true)
        let refresh = try #require(desk.beginRefresh())
        desk.state.refreshTimedOut(refresh, at: desk.clock)
        #expect(desk.seen == nil && desk.state.refreshes.isEmpty)
        desk.now += 4_900_000_000
        #expect(desk.beginRefresh() == nil)
        desk.now += 100_000_000
        #expect(desk.beginRefresh() != nil)
    }

    @Test func `a look that times out just after its answer loses nothing`() throws {
        let desk = Desk(biometry: true)
        let refresh = try #require(desk.beginRefresh())
        desk.state.readerChanged(ReaderState(obstacle: .notEnrolled, set: .empty), of: .biometry, &desk.effects)
        desk.state.refreshTimedOut(refresh, at: desk.clock)
        #expect(desk.seen?.obstacle == .notEnrolled)
    }

    @Test func `a program has four questions open, and begins thirty in a minute`() throws {
        let desk = Desk()
        _ = desk.state.prompterCame(.typing)
        let open = try (0..<4).map { _ in try #require(desk.ask()) }
        #expect(desk.ask() == nil)
        for id in open { #expect(desk.passcode(id) == .accepted) }
        for _ in 4..<30 { #expect(desk.passcode(try #require(desk.ask())) == .accepted) }
        #expect(desk.ask() == nil)
        desk.now += 60_000_000_001
        #expect(desk.ask() != nil)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whatever happens, each question is answered once or withdrawn`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let desk = Desk()
        var asked: [ItemUUID] = []
        var withdrawn: Set<ItemUUID> = []
        var prompters: [Int] = []
        var checked = 0
        /// What each prompter shows, as the effects have it.
        var shown: [Int: ItemUUID] = [:]
        for step in 0..<1_500 {
            desk.now += UInt64.random(in: 0...8_000_000_000, using: &random)
            let recent = asked.suffix(6).randomElement(using: &random) ?? ItemUUID()
            let id = Bool.random(using: &random) ? desk.state.questions.first?.id ?? recent : recent
            switch Int.random(in: 0..<15, using: &random) {
            case 0...2:
                let demand = [PresenceDemand.owner, .passcode, .biometry, .all(of: [.passcode, .biometry])]
                    .randomElement(using: &random)
                if let id = desk.ask(demand ?? .owner, of: "program \(step % 3)") { asked.append(id) }
            case 3: _ = desk.passcode(id)
            case 4: _ = desk.wrongPasscode(id)
            case 5: _ = desk.matched(id)
            case 6: _ = desk.mismatched(id)
            case 7:
                // The caller who goes is told nothing; it is taken out only while the question is open.
                if desk.state.questions.contains(where: { $0.id == id }) { withdrawn.insert(id) }
                desk.state.withdrawn(id, at: desk.clock, &desk.effects)
            case 8: desk.decline(id, [.declined, .nobodyToAsk, .noBiometry].randomElement(using: &random) ?? .declined)
            case 9, 10:
                let abilities: PrompterAbilities = Bool.random(using: &random) ? .typing : .biometry
                prompters.append(desk.state.prompterCame(abilities))
            case 11:
                if let gone = prompters.randomElement(using: &random) {
                    prompters.removeAll { $0 == gone }
                    shown[gone] = nil
                    desk.leave(gone)
                }
            case 12, 13: desk.state.readerChanged(ReaderState(obstacle: nil, set: nil), of: .biometry, &desk.effects)
            default: desk.enclave(step % 3 == 0 ? .locked : .unlocked)
            }
            for effect in desk.effects[checked...] {
                switch effect {
                case .show(let prompt, let number):
                    #expect(prompters.contains(number))
                    #expect(shown[number] == nil || shown[number] == prompt.question, "two dialogs at once")
                    shown[number] = prompt.question
                case .withdraw(let id, let number): if shown[number] == id { shown[number] = nil }
                case .resolve, .requestState, .wake: break
                }
            }
            checked = desk.effects.count
            // A prompter that says itself that it cannot ask has taken its dialog away.
            for (number, id) in shown {
                if let open = desk.state.questions.first(where: { $0.id == id }), open.shown[number] == nil {
                    shown[number] = nil
                }
            }
        }
        let open = Set(desk.state.questions.map(\.id))
        #expect(!asked.isEmpty)
        for id in asked {
            let ends = desk.answers(id).count + (withdrawn.contains(id) ? 1 : 0) + (open.contains(id) ? 1 : 0)
            #expect(ends == 1)
        }
    }
}
