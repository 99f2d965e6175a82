import KeychainModel
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

/// An unlock of the session with a finger, in the place of a finger that is asked for: on the state machine alone, with a
/// clock that the test sets.
@Suite("Unlocking with a finger, used again")
struct UnlockReuseTests {
    /// A keychain whose fingers are read, and a program with a context of it.
    private final class Desk {
        var state = PresenceDeskState()
        var effects: [PresenceEffect] = []
        var now: UInt64 = 1_000_000_000_000
        var clock: StartClock { StartClock(start: [UInt8](repeating: 1, count: 16), now: now) }
        let fingers: Int
        private(set) var context: PresenceContextID

        static let mine = EnrolledSet([UInt8](repeating: 7, count: 32))
        static let others = EnrolledSet([UInt8](repeating: 8, count: 32))

        init(hasAgent: Bool = true) {
            fingers = state.prompterCame(.biometry)
            if hasAgent { _ = state.prompterCame(.typing) }
            let start = StartClock(start: [UInt8](repeating: 1, count: 16), now: 1_000_000_000_000)
            context = state.proofs.open(["group"], on: 3, at: start)
            enclave(.unlocked)
            enrolled(Self.mine)
        }

        func enclave(_ lock: EnclaveState.Lock) {
            let enclave = EnclaveState(
                keychain: ItemUUID(),
                keybag: ItemUUID(),
                generation: 1,
                lock: lock,
                hasPasscode: true,
                isRotating: false,
                epoch: 1,
                settings: LockSettings(),
                binding: .memory
            )
            state.enclaveChanged(enclave, at: clock, &effects)
        }

        func enrolled(_ set: EnrolledSet?, obstacle: PresenceFailure? = nil) {
            state.readerChanged(ReaderState(obstacle: obstacle, set: set), of: .biometry, &effects)
        }

        /// Root has told of an unlock, and the fingers were looked at.
        func unlock() {
            state.sessionUnlocked(at: clock)
            state.identifyUnlock(of: now)
        }

        func openContext() { context = state.proofs.open(["group"], on: 3, at: clock) }

        /// - Returns: the question; nil where it is refused.
        func ask(
            _ demand: PresenceDemand = .biometry,
            for duration: UnlockReuse = .longest,
            password: PasswordWish = .none,
            scope: PresenceScope? = nil,
            of program: String = "program"
        ) -> ItemUUID? {
            let id = ItemUUID()
            let question = PresenceQuestion(
                of: .named(program, isVerified: true),
                demand,
                password: password,
                for: scope ?? .context(context),
                reuse: duration
            )
            let asker = Asker.named(program, isVerified: true)
            return state.asked(question, id, of: asker, on: 3, at: clock, &effects) == nil ? id : nil
        }

        /// Whether a question is answered with a proof before anybody was asked anything.
        func isProvedAtOnce(
            _ demand: PresenceDemand = .biometry,
            for duration: UnlockReuse = .longest,
            password: PasswordWish = .none,
            scope: PresenceScope? = nil
        ) -> Bool {
            guard let id = ask(demand, for: duration, password: password, scope: scope) else { return false }
            let isProved = proof(of: id) != nil && prompts(of: id).isEmpty
            state.withdrawn(id, at: clock, &effects)
            return isProved
        }

        func proof(of id: ItemUUID) -> PresenceProof? {
            for case .resolve(id, .success(let proof)) in effects { return proof }
            return nil
        }

        func prompts(of id: ItemUUID) -> [Prompt.Wish] {
            effects.compactMap { if case .show(let prompt, _) = $0, prompt.question == id { prompt.wish } else { nil } }
        }

        func opens(_ proof: PresenceProof, group: String = "group", connection: UInt64 = 3) -> PresenceFactors {
            var credentials = ItemCredentials(proofs: [proof])
            credentials.connection = connection
            return state.proofs.proved(
                credentials,
                for: GuardedItem(ItemUUID(), in: group),
                isNew: false,
                at: clock
            ).factors
        }
    }

    private static let second: UInt64 = 1_000_000_000

    // MARK: - For how long

    @Test func `an unlock does for a finger, without a prompt, as long as the context says and not a moment longer`() {
        let desk = Desk()
        #expect(!desk.isProvedAtOnce())
        desk.unlock()
        let tenSeconds = UnlockReuse(seconds: 10)
        #expect(desk.isProvedAtOnce(for: tenSeconds))
        #expect(desk.isProvedAtOnce(.owner, for: tenSeconds))
        desk.now += 10 * Self.second
        #expect(desk.isProvedAtOnce(for: tenSeconds))
        desk.now += 1
        #expect(!desk.isProvedAtOnce(for: tenSeconds))
        #expect(desk.isProvedAtOnce(for: UnlockReuse(seconds: 11)))
    }

    @Test func `whoever asks for weeks gets five minutes`() {
        let desk = Desk()
        desk.unlock()
        let weeks = UnlockReuse(milliseconds: .max)
        desk.now += 300 * Self.second
        #expect(desk.isProvedAtOnce(for: weeks))
        desk.now += 1
        #expect(!desk.isProvedAtOnce(for: weeks))
    }

    @Test(arguments: [.nan, -.infinity, -1, -0.0, 0, .leastNonzeroMagnitude, -.greatestFiniteMagnitude] as [Double])
    func `a duration that is none is no reuse`(seconds: Double) {
        let desk = Desk()
        desk.unlock()
        #expect(UnlockReuse(seconds: seconds) == .none)
        #expect(!desk.isProvedAtOnce(for: UnlockReuse(seconds: seconds)))
        // The control.
        #expect(desk.isProvedAtOnce(for: UnlockReuse(seconds: 1)))
    }

    @Test func `a duration is cut off where it is too long, and to milliseconds`() {
        for seconds in [300, 300.1, 1e9, .infinity, .greatestFiniteMagnitude] as [Double] {
            #expect(UnlockReuse(seconds: seconds) == .longest)
        }
        #expect(UnlockReuse(seconds: 0.0015).milliseconds == 1)
        #expect(UnlockReuse(seconds: 299.9999).milliseconds == 299_999)
    }

    @Test func `a clock that has gone back proves nothing`() {
        let desk = Desk()
        desk.unlock()
        desk.now -= 1
        desk.openContext()
        #expect(!desk.isProvedAtOnce())
        desk.now += 1
        #expect(desk.isProvedAtOnce())
    }

    // MARK: - What ends it

    @Test func `a lock ends it, also one that had nothing to lock`() {
        for ends in [
            { $0.enclave(.locked) }, { $0.enclave(.beforeFirstUnlock) }, { $0.state.forgetProofs() },
        ] as [(Desk) -> Void] {
            let desk = Desk()
            desk.unlock()
            ends(desk)
            desk.enclave(.unlocked)
            desk.openContext()
            #expect(!desk.isProvedAtOnce())
            desk.unlock()
            #expect(desk.isProvedAtOnce())
        }
    }

    @Test func `a lock while the fingers are looked at ends it`() {
        let desk = Desk()
        desk.state.sessionUnlocked(at: desk.clock)
        let time = desk.now
        desk.enclave(.locked)
        desk.state.identifyUnlock(of: time)
        desk.enclave(.unlocked)
        desk.openContext()
        #expect(!desk.isProvedAtOnce())
    }

    @Test func `a look that belongs to an earlier unlock says nothing of the last one`() {
        let desk = Desk()
        desk.state.sessionUnlocked(at: desk.clock)
        let earlier = desk.now
        desk.now += 1
        desk.state.sessionUnlocked(at: desk.clock)
        desk.state.identifyUnlock(of: earlier)
        #expect(!desk.isProvedAtOnce())
        desk.state.identifyUnlock(of: desk.now)
        #expect(desk.isProvedAtOnce())
    }

    @Test func `other fingers end it, also where the old ones come back`() {
        for (set, obstacle) in [
            (Desk.others, nil), (nil, nil), (.empty, nil), (Desk.mine, .notEnrolled), (Desk.mine, .noBiometry),
        ] as [(EnrolledSet?, PresenceFailure?)] {
            let desk = Desk()
            desk.unlock()
            desk.enrolled(Desk.mine)
            #expect(desk.isProvedAtOnce())
            desk.enrolled(set, obstacle: obstacle)
            #expect(!desk.isProvedAtOnce())
            desk.enrolled(Desk.mine)
            #expect(!desk.isProvedAtOnce())
        }
    }

    @Test func `an unlock whose fingers cannot be told counts for nothing`() {
        for (set, obstacle) in [
            (nil, nil), (.empty, nil), (Desk.mine, .notEnrolled), (Desk.mine, .noBiometry),
        ] as [(EnrolledSet?, PresenceFailure?)] {
            let desk = Desk()
            desk.enrolled(set, obstacle: obstacle)
            desk.unlock()
            #expect(!desk.isProvedAtOnce())
            desk.enrolled(Desk.mine)
            #expect(!desk.isProvedAtOnce())
        }
        // Nobody reads fingers any more whose word about them would be worth anything.
        let desk = Desk()
        desk.unlock()
        desk.state.prompterLeft(desk.fingers, at: desk.clock, &desk.effects)
        #expect(!desk.isProvedAtOnce())
    }

    @Test func `five wrong fingers end it, also after the passcode has let fingers in again`() throws {
        let desk = Desk()
        desk.unlock()
        let id = try #require(desk.ask(.owner, for: .none))
        for _ in 1...PresenceDesk.mostWrongFingers {
            #expect(desk.isProvedAtOnce())
            _ = desk.state.mismatched(id, by: .biometry, at: desk.clock, &desk.effects)
        }
        #expect(!desk.isProvedAtOnce())
        #expect(desk.state.secretTyped(id) != nil)
        #expect(desk.state.verified(.passcode, for: id, at: desk.clock, &desk.effects) == .accepted)
        #expect(desk.state.readers[.biometry]?.mismatches == 0)
        #expect(!desk.isProvedAtOnce())
    }

    // MARK: - What it does for

    @Test func `it never takes the place of a passcode or a password`() throws {
        let desk = Desk()
        desk.unlock()
        #expect(!desk.isProvedAtOnce(.passcode))
        #expect(!desk.isProvedAtOnce(.nothing, password: .existing))
        #expect(!desk.isProvedAtOnce(.biometry, password: .existing))
        #expect(desk.ask(.impossible) == nil)
        // Of two that are demanded the other one is asked for.
        let both = try #require(desk.ask(.all(of: [.passcode, .biometry])))
        #expect(desk.proof(of: both) == nil)
        #expect(desk.prompts(of: both) == [.passcode])
        #expect(desk.state.secretTyped(both) != nil)
        #expect(desk.state.verified(.passcode, for: both, at: desk.clock, &desk.effects) == .accepted)
        let proof = try #require(desk.proof(of: both))
        #expect(desk.opens(proof) == [.passcode, .biometry])
    }

    @Test func `it proves a finger and nothing else, for the groups, program and connection of the context`() throws {
        let desk = Desk()
        desk.unlock()
        let id = try #require(desk.ask(.owner))
        let proof = try #require(desk.proof(of: id))
        #expect(desk.opens(proof) == .biometry)
        #expect(desk.opens(proof, group: "other") == [])
        #expect(desk.opens(proof, connection: 4) == [])
        #expect(desk.ask(.owner, of: "another program") == nil)
    }

    @Test func `items that are asked for without a context take no unlock`() {
        let desk = Desk()
        desk.unlock()
        #expect(!desk.isProvedAtOnce(scope: .items([ItemUUID(): "group"])))
        #expect(!desk.isProvedAtOnce(scope: .newItem(accessGroup: "group")))
        #expect(!desk.isProvedAtOnce(for: .none))
        #expect(desk.isProvedAtOnce())
    }

    @Test func `nobody has to be there who asks, and nobody waits for another question`() throws {
        let alone = Desk(hasAgent: false)
        #expect(alone.ask() == nil)
        alone.unlock()
        #expect(alone.isProvedAtOnce())
        let desk = Desk()
        let shown = try #require(desk.ask(.passcode, of: "another program"))
        desk.unlock()
        desk.openContext()
        #expect(desk.isProvedAtOnce())
        #expect(desk.state.questions.map(\.id) == [shown])
    }

    @Test func `it counts as a prompt, and lets no program off that its owner has declined`() throws {
        let desk = Desk()
        func decline() throws {
            let id = try #require(desk.ask(.passcode, for: .none))
            desk.state.declined(id, because: .declined, of: .typing, at: desk.clock, &desk.effects)
        }
        for _ in 0..<3 { try decline() }
        desk.unlock()
        #expect(desk.isProvedAtOnce())
        try decline()
        // After the fourth a program waits, unless a prompt was answered in between.
        #expect(desk.ask(.passcode, for: .none) == nil)
        #expect(!desk.isProvedAtOnce())
        let other = Desk()
        other.unlock()
        #expect((0..<40).count { _ in other.isProvedAtOnce() } == 30)
    }
}
