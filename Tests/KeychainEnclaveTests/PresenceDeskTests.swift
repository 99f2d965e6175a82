import Crypto
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("What a person proves, and what that is good for")
struct PresenceDeskTests {
    private let enclave: LocalEnclave
    private let key = SymmetricKey(size: .bits256)
    private static let passcode = SecretBytes(Array("passcode".utf8))

    init() throws {
        let deviceKey = DeviceKey()
        enclave = try LocalEnclave(Keybag(creatingUnder: deviceKey), under: deviceKey, cost: .uncheckedLeast)
        try enclave.passcode.changePasscode(from: nil, to: Self.passcode, by: .owner)
    }

    /// Somebody who notes what is shown, and answers when the test says so.
    private final class Person: Prompter {
        private let state = Mutex((shown: [Prompt](), withdrawn: [ItemUUID]()))
        private let seeing = Mutex<(@Sendable () -> Void)?>(nil)

        /// What is done where somebody is to look at fingers.
        func answersLooks(by body: @escaping @Sendable () -> Void) { seeing.withLock { $0 = body } }

        func report(_ factor: PresenceFactors) { seeing.withLock(\.self)?() }

        func show(_ prompt: Prompt) { state.withLock { $0.shown.append(prompt) } }
        func withdraw(_ question: ItemUUID) { state.withLock { $0.withdrawn.append(question) } }

        var shown: [Prompt] { state.withLock(\.shown) }
        var withdrawn: [ItemUUID] { state.withLock(\.withdrawn) }
    }

    /// What came of a question.
    private final class Outcome: Sendable {
        private let result = Mutex<Result<PresenceProof, KeychainError>?>(nil)

        func settle(_ result: Result<PresenceProof, KeychainError>) { self.result.withLock { $0 = result } }

        var proof: PresenceProof? { result.withLock { try? $0?.get() } }
        var isOpen: Bool { result.withLock { $0 == nil } }
        var failure: PresenceFailure? {
            result.withLock { result in
                if case .failure(let error) = result, case .failed(let failure) = error.presence {
                    failure
                } else {
                    nil
                }
            }
        }
    }

    private func binding(_ flags: AccessControlFlags = .devicePasscode, _ uuid: ItemUUID = ItemUUID()) throws
        -> ItemBinding
    {
        .sample(of: uuid, group: "test.default", guardedBy: try AccessControl(protection: "ak", flags: flags))
    }

    private func wrapped(_ binding: ItemBinding) throws -> WrappedItemKey {
        WrappedItemKey(
            binding: binding,
            box: try #require(enclave.wrap([UnwrappedItemKey(binding: binding, key: key)]).first)
        )
    }

    private func error(_ item: WrappedItemKey, _ proofs: PresenceProof?...) throws -> KeychainError? {
        let results = try enclave.unwrap([item], with: ItemCredentials(proofs: proofs.compactMap(\.self)))
        switch try #require(results.first) {
        case .success(let opened):
            #expect(opened == key)
            return nil
        case .failure(let error): return error
        }
    }

    private func question(
        _ demand: PresenceDemand = .passcode,
        items: Set<ItemUUID>? = nil,
        of name: String = "program",
        isVerified: Bool = false,
        password: PasswordWish = .none
    ) throws -> PresenceQuestion {
        let scope: PresenceScope =
            if let items {
                .items(Dictionary(uniqueKeysWithValues: items.map { ($0, "test.default") }))
            } else {
                .context(try enclave.openContext(["test.default"]))
            }
        return PresenceQuestion(of: .named(name, isVerified: isVerified), demand, password: password, for: scope)
    }

    /// Asks, and has the right passcode given.
    private func prove(items: Set<ItemUUID>? = nil, by person: Person) throws -> PresenceProof {
        let outcome = Outcome()
        let id = try enclave.desk.begin(question(items: items), settle: outcome.settle)
        #expect(try enclave.desk.answer(id, typed: Self.passcode) == .accepted)
        return try #require(outcome.proof)
    }

    private func register(_ abilities: PrompterAbilities = .typing) -> Person {
        let person = Person()
        let desk = enclave.desk
        person.answersLooks { desk.take(ReaderState(obstacle: nil, set: nil), of: .biometry) }
        _ = desk.register(person, for: abilities)
        if abilities.contains(.biometry) { desk.refreshReaders() }
        return person
    }

    /// Has the desk see these fingers from now on.
    private func see(_ set: EnrolledSet?, _ person: Person, obstacle: PresenceFailure? = nil) {
        let desk = enclave.desk
        person.answersLooks { desk.take(ReaderState(obstacle: obstacle, set: set), of: .biometry) }
    }

    private static func set(_ number: UInt8) throws -> EnrolledSet {
        try #require(EnrolledSet([UInt8](repeating: number, count: 32)))
    }

    private final class Looks: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock(\.self) }
        func add() { number.withLock { $0 += 1 } }
    }

    // MARK: - The fingers of an item's making

    @Test func `an item of today's fingers is lost with them, and with nothing less`() throws {
        let person = register([.typing, .biometry])
        #expect(throws: KeychainError(.notAvailable, "")) { try wrapped(binding(.biometryCurrentSet)) }
        see(.empty, person, obstacle: .notEnrolled)
        #expect(throws: KeychainError(.notAvailable, "")) { try wrapped(binding(.biometryCurrentSet)) }
        see(try Self.set(1), person)
        let item = try wrapped(binding(.biometryCurrentSet))
        let free = try wrapped(binding([.biometryCurrentSet, .or, .devicePasscode]))
        #expect(try error(item)?.need?.demand == .biometry)
        #expect(try error(free)?.need?.demand == PresenceDemand([.biometry, .passcode]))
        // Who cannot look, or does not know what is there, says nothing about it.
        for obstacle in [PresenceFailure.noBiometry, .notEnrolled, nil] {
            see(nil, person, obstacle: obstacle)
            #expect(try error(item)?.code == .notAvailable)
            #expect(try error(free)?.need?.demand == .passcode)
        }
        see(try Self.set(1), person)
        #expect(try error(item)?.need?.demand == .biometry)
        see(try Self.set(2), person)
        #expect(try error(item)?.code == .itemNotFound)
        #expect(try error(free)?.need?.demand == .passcode)
        // Nor does it come back with them: the key is gone.
        see(try Self.set(1), person)
        #expect(try error(item)?.code == .itemNotFound)
        let now = try wrapped(binding(.biometryCurrentSet))
        #expect(try error(now)?.need?.demand == .biometry)
    }

    @Test func `an item of today's fingers opens for a finger alone, and outlives passcode and rotation`() throws {
        let person = register([.typing, .biometry])
        see(try Self.set(1), person)
        let item = try wrapped(binding(.biometryCurrentSet))
        #expect(try error(item, prove(by: person))?.need?.demand == .biometry)
        let outcome = Outcome()
        let id = try enclave.desk.begin(question(.biometry), settle: outcome.settle)
        #expect(enclave.desk.matched(id, by: .biometry) == .accepted)
        #expect(try error(item, outcome.proof) == nil)
        let other = SecretBytes(Array("another".utf8))
        try enclave.passcode.changePasscode(from: Self.passcode, to: other, by: .owner)
        #expect(try error(item, outcome.proof) == nil)
        try enclave.passcode.changePasscode(from: other, to: nil, by: .owner)
        #expect(try error(item, outcome.proof) == nil)
    }

    @Test func `an access control that was edited opens no item of other fingers`() throws {
        let person = register([.typing, .biometry])
        see(try Self.set(1), person)
        let item = try wrapped(binding(.biometryCurrentSet))
        var edited = item.binding
        for flags in [AccessControlFlags.biometryAny, .devicePasscode, []] {
            edited = try binding(flags, item.binding.uuid)
            #expect(try error(WrappedItemKey(binding: edited, box: item.box))?.code == .undecodable)
        }
    }

    @Test func `who looks at fingers and is silent holds up one question, and the next ones not at all`() throws {
        let person = register([.typing, .biometry])
        let looks = Looks()
        person.answersLooks { looks.add() }
        for _ in 0..<20 { #expect(try enclave.presenceStatus()[.biometry].obstacle == .noBiometry) }
        // The first one waits some seconds, and no other does for as long.
        #expect(looks.count <= 2)
    }

    @Test func `no finger is asked for where nobody can say what for`() throws {
        _ = register(.biometry)
        #expect(enclave.desk.status[.biometry].obstacle == .nobodyToAsk)
        #expect(throws: PresenceFailure.nobodyToAsk.error) {
            _ = try enclave.desk.begin(question(.biometry)) { _ in }
        }
    }

    @Test func `the reader's words are shown where nothing is typed, and only those of a question that is open`() throws
    {
        let person = register([.typing, .biometry])
        enclave.desk.hint(ItemUUID(), .retry, by: .biometry)
        let id = try enclave.desk.begin(question(.biometry)) { _ in }
        enclave.desk.hint(id, .swipeTooShort, by: .biometry)
        #expect(person.shown.last?.hint == .swipeTooShort && person.shown.last?.wish == .notice)
        enclave.desk.withdraw(id)
        let count = person.shown.count
        enclave.desk.hint(id, .retry, by: .biometry)
        #expect(person.shown.count == count)
        let typed = try enclave.desk.begin(question(.owner)) { _ in }
        let shown = person.shown.count
        enclave.desk.hint(typed, .retry, by: .biometry)
        #expect(person.shown.count == shown)
    }

    // MARK: - Items

    @Test func `a key whose item demands the passcode comes out with a proof of it alone`() throws {
        let person = register()
        let item = try wrapped(binding())
        let need = try #require(try error(item)?.need)
        #expect(
            need.demand == .passcode && need.items == [GuardedItem(item.binding.uuid, in: "test.default")]
                && need.password == .none
        )
        #expect(try error(item)?.code == .interactionNotAllowed)
        #expect(try error(item, PresenceProof()) != nil)
        #expect(try error(item, prove(by: person)) == nil)
    }

    @Test func `a proof for one item opens no other, and one that is forgotten opens none`() throws {
        let person = register()
        let (item, other) = (try wrapped(binding()), try wrapped(binding()))
        let proof = try prove(items: [item.binding.uuid], by: person)
        #expect(try error(item, proof) == nil)
        #expect(try error(other, proof)?.need?.items.map(\.uuid) == [other.binding.uuid])
        enclave.forget(proof)
        #expect(try error(item, proof)?.need != nil)
    }

    @Test func `a proof for single items is old after a minute, and one of a context after ten`() throws {
        let now = Mutex(StartClock.current.now)
        try StartClock.$uncheckedReading.withValue({ StartClock(start: ItemUUID().bytes, now: now.withLock(\.self)) }) {
            let person = register()
            let item = try wrapped(binding())
            let once = try prove(items: [item.binding.uuid], by: person)
            let context = try prove(by: person)
            now.withLock { $0 += 59_000_000_000 }
            #expect(try error(item, once) == nil)
            now.withLock { $0 += 2_000_000_000 }
            #expect(try error(item, once)?.need != nil)
            #expect(try error(item, context) == nil)
            now.withLock { $0 += 538_000_000_000 }
            #expect(try error(item, context) == nil)
            now.withLock { $0 += 2_000_000_000 }
            #expect(try error(item, context)?.need != nil)
        }
    }

    @Test func `no proof survives a lock, and what is asked when it comes is taken back`() throws {
        let person = register()
        let item = try wrapped(binding())
        let proof = try prove(by: person)
        let open = Outcome()
        let id = try enclave.desk.begin(question(), settle: open.settle)
        try enclave.lock()
        #expect(open.failure == .interrupted)
        #expect(person.withdrawn.contains(id))
        #expect(try enclave.desk.answer(id, typed: Self.passcode) == .over)
        try enclave.passcode.unlock(Self.passcode, by: .owner)
        #expect(try error(item, proof)?.need != nil)
    }

    @Test func `a locked key is locked to whoever has a proof`() throws {
        let person = register([.typing, .biometry])
        see(try Self.set(1), person)
        let item = try wrapped(binding(.biometryAny))
        try enclave.lock()
        // The device's owner may be asked while it is locked: for what is not. A finger unlocks nothing.
        let outcome = Outcome()
        enclave.desk.refreshReaders()
        let id = try enclave.desk.begin(question(.biometry), settle: outcome.settle)
        #expect(enclave.desk.matched(id, by: .biometry) == .accepted)
        let proof = try #require(outcome.proof)
        #expect(try error(item, proof)?.code == .interactionNotAllowed)
        #expect(try error(item, proof)?.need == nil)
        #expect(try enclave.state().lock == .locked)
    }

    @Test(arguments: [false, true])
    func `the passcode unlocks a locked keychain at a prompt, which says so, and a wrong one does not`(
        isLoggedOut: Bool
    ) throws {
        let person = register()
        let item = try wrapped(binding())
        let before = try prove(by: person)
        #expect(person.shown.last?.unlocks == false)
        if isLoggedOut { try enclave.logOut() } else { try enclave.lock() }
        let outcome = Outcome()
        let id = try enclave.desk.begin(question(), settle: outcome.settle)
        #expect(person.shown.last?.unlocks == true)
        #expect(try enclave.desk.answer(id, typed: SecretBytes("wrong".utf8)) == .wrong)
        #expect(try enclave.state().lock != .unlocked)
        #expect(try enclave.desk.answer(id, typed: Self.passcode) == .accepted)
        #expect(try enclave.state().lock == .unlocked)
        let proof = try #require(outcome.proof)
        #expect(try error(item, before)?.need != nil)
        #expect(try error(item, proof) == nil)
    }

    @Test func `an access control that was edited opens nothing, not even with its proof`() throws {
        let person = register()
        let item = try wrapped(binding())
        let proof = try prove(by: person)
        for control in [[], try AccessControl(protection: "ak", flags: .userPresence).serialized, [9]] as [[UInt8]] {
            var edited = item.binding
            edited.accessControl = control
            #expect(try error(WrappedItemKey(binding: edited, box: item.box), proof)?.code == .undecodable)
        }
        // Nor is what was wrapped without one taken for guarded.
        let plain = try wrapped(binding([]))
        var claimed = plain.binding
        claimed.accessControl = item.binding.accessControl
        #expect(try error(WrappedItemKey(binding: claimed, box: plain.box), proof)?.code == .undecodable)
    }

    @Test func `all that an access control joins by and has to be proved, and one of what it joins by or`() throws {
        let both = register([.typing, .biometry])
        let passcode = try prove(by: both)
        let biometry = Outcome()
        let id = try enclave.desk.begin(question(.biometry), settle: biometry.settle)
        #expect(enclave.desk.matched(id, by: .biometry) == .accepted)
        let finger = try #require(biometry.proof)
        let table: [(AccessControlFlags, passcode: Bool, finger: Bool, both: Bool)] = [
            (.userPresence, true, true, true), (.devicePasscode, true, false, true), (.biometryAny, false, true, true),
            ([.biometryAny, .devicePasscode, .or], true, true, true),
            ([.biometryAny, .devicePasscode, .and], false, false, true),
            ([.biometryAny, .devicePasscode], false, false, true),
            ([.companion, .devicePasscode, .or], true, false, true),
            ([.companion, .devicePasscode], false, false, false),
        ]
        for (flags, withPasscode, withFinger, withBoth) in table {
            let item = try wrapped(binding(flags))
            #expect(try error(item) != nil, "\(flags)")
            #expect(try (error(item, passcode) == nil) == withPasscode, "\(flags)")
            #expect(try (error(item, finger) == nil) == withFinger, "\(flags)")
            #expect(try (error(item, finger, passcode) == nil) == withBoth, "\(flags)")
        }
    }

    // MARK: - Asking

    @Test func `where nobody can be asked, the reason is told at once`() throws {
        func failure(_ demand: PresenceDemand, password: PasswordWish = .none) -> PresenceFailure? {
            do {
                _ = try enclave.desk.begin(question(demand, password: password), settle: { _ in })
                return nil
            } catch {
                let presence = (error as? KeychainError)?.presence
                if case .failed(let failure) = presence { return failure } else { return nil }
            }
        }
        #expect(failure(.passcode) == .nobodyToAsk)
        #expect(failure(.biometry) == .noBiometry)
        #expect(failure(.owner) == .nobodyToAsk)
        #expect(failure(.impossible) == .noCompanion)
        #expect(failure(.nothing, password: .existing) == .nobodyToAsk)
        _ = register()
        #expect(failure(.biometry) == .noBiometry)
        #expect(failure(.all(of: [.passcode, .biometry])) == .noBiometry)
        try enclave.passcode.changePasscode(from: Self.passcode, to: nil, by: .owner)
        #expect(failure(.passcode) == .noPasscode)
        #expect(failure(.owner) == .noPasscode)
        #expect(enclave.desk.status[.passcode] == .init(obstacle: .noPasscode))
        #expect(enclave.desk.status[.biometry] == .init(obstacle: .noBiometry))
    }

    @Test func `the third wrong passcode ends the question, and each is counted as any other`() throws {
        let person = register()
        let outcome = Outcome()
        let id = try enclave.desk.begin(question(), settle: outcome.settle)
        let wrong = SecretBytes(Array("wrong".utf8))
        #expect(try enclave.desk.answer(id, typed: wrong) == .wrong)
        // What is no passcode at all was no try.
        #expect(try enclave.desk.answer(id, typed: SecretBytes([])) == .wrong)
        #expect(outcome.isOpen)
        #expect(try enclave.desk.answer(id, typed: wrong) == .over)
        #expect(outcome.failure == .failed)
        #expect(person.withdrawn == [id])
        #expect(try enclave.desk.answer(id, typed: Self.passcode) == .over)
    }

    @Test func `a passcode for a question that is not shown, or that nobody asked, proves nothing`() throws {
        _ = register()
        let (first, second) = (Outcome(), Outcome())
        let shown = try enclave.desk.begin(question(), settle: first.settle)
        let waiting = try enclave.desk.begin(question(), settle: second.settle)
        #expect(try enclave.desk.answer(waiting, typed: Self.passcode) == .over)
        #expect(try enclave.desk.answer(ItemUUID(), typed: Self.passcode) == .over)
        // A password is no passcode, and a finger not what was asked for.
        #expect(try enclave.desk.answer(shown, password: Self.passcode) == .over)
        #expect(enclave.desk.matched(shown, by: .biometry) == .over)
        #expect(first.isOpen && second.isOpen)
        #expect(try enclave.desk.answer(shown, typed: Self.passcode) == .accepted)
        #expect(first.proof != nil && second.isOpen)
        #expect(try enclave.desk.answer(waiting, typed: Self.passcode) == .accepted)
        #expect(second.proof != nil)
    }

    @Test func `one question is shown at a time, and one that is withdrawn makes room`() throws {
        let person = register()
        let first = try enclave.desk.begin(question(of: "first"), settle: { _ in })
        let second = try enclave.desk.begin(question(of: "second"), settle: { _ in })
        #expect(person.shown.map(\.asker.name) == ["first"])
        enclave.desk.withdraw(first)
        #expect(person.withdrawn == [first])
        #expect(person.shown.map(\.asker.name) == ["first", "second"])
        enclave.desk.withdraw(second)
        enclave.desk.withdraw(second)
        #expect(person.withdrawn == [first, second])
    }

    @Test func `the prompter that came last is asked, and when it goes the one before it`() throws {
        let old = register()
        let new = Person()
        let number = enclave.desk.register(new, for: .typing)
        let outcome = Outcome()
        let id = try enclave.desk.begin(question(), settle: outcome.settle)
        #expect(old.shown.isEmpty && new.shown.map(\.question) == [id])
        enclave.desk.unregister(number)
        #expect(old.shown.map(\.question) == [id])
        #expect(try enclave.desk.answer(id, typed: Self.passcode) == .accepted)
        #expect(outcome.proof != nil)
    }

    @Test func `a prompt whose last prompter goes has nobody to ask`() throws {
        let person = Person()
        let number = enclave.desk.register(person, for: .typing)
        let outcome = Outcome()
        _ = try enclave.desk.begin(question(), settle: outcome.settle)
        enclave.desk.unregister(number)
        #expect(outcome.failure == .nobodyToAsk)
    }

    @Test func `whoever is declined again and again has to wait, and others have not`() throws {
        let now = Mutex(StartClock.current.now)
        StartClock.$uncheckedReading.withValue({ StartClock(start: ItemUUID().bytes, now: now.withLock(\.self)) }) {
            _ = register()
            func decline(_ name: String) -> PresenceFailure? {
                let outcome = Outcome()
                do {
                    let id = try enclave.desk.begin(question(of: name, isVerified: true), settle: outcome.settle)
                    enclave.desk.decline(id, because: .declined, of: .typing)
                    return outcome.failure
                } catch {
                    let presence = (error as? KeychainError)?.presence
                    if case .failed(let failure) = presence { return failure } else { return nil }
                }
            }
            for _ in 0..<4 { #expect(decline("insistent") == .declined) }
            #expect(decline("insistent") == .tooMany)
            #expect(decline("other") == .declined)
            now.withLock { $0 += 6_000_000_000 }
            #expect(decline("insistent") == .declined)
            #expect(decline("insistent") == .tooMany)
        }
    }

    @Test func `a program has four questions open at most, and a keychain thirty in a minute`() throws {
        let now = Mutex(StartClock.current.now)
        try StartClock.$uncheckedReading.withValue({ StartClock(start: ItemUUID().bytes, now: now.withLock(\.self)) }) {
            _ = register()
            func begin(_ name: String) -> ItemUUID? {
                try? enclave.desk.begin(question(of: name, isVerified: true), settle: { _ in })
            }
            let open = (0..<4).compactMap { _ in begin("one") }
            #expect(open.count == 4 && begin("one") == nil)
            open.forEach(enclave.desk.withdraw)
            for index in 0..<26 { enclave.desk.withdraw(try #require(begin("program \(index)"))) }
            #expect(begin("last") == nil)
            now.withLock { $0 += 61_000_000_000 }
            #expect(begin("last") != nil)
        }
    }

    @Test func `after five wrong fingers only the passcode is left, until it is given`() throws {
        let person = register([.typing, .biometry])
        let outcome = Outcome()
        let id = try enclave.desk.begin(question(.owner), settle: outcome.settle)
        #expect(Set(person.shown.map(\.wish)).isSuperset(of: [.proof(.biometry)]))
        for _ in 0..<4 { #expect(enclave.desk.mismatched(id, by: .biometry) == .wrong) }
        #expect(enclave.desk.mismatched(id, by: .biometry) == .over)
        #expect(outcome.isOpen)
        #expect(enclave.desk.matched(id, by: .biometry) == .over)
        #expect(enclave.desk.status[.biometry].obstacle == .biometryLockout)
        #expect(try enclave.desk.answer(id, typed: Self.passcode) == .accepted)
        #expect(outcome.proof != nil)
        #expect(enclave.desk.status[.biometry].obstacle == nil)
    }

    @Test func `an application password that was typed opens its item, and is in no other proof`() throws {
        _ = register()
        let password = SecretBytes(Array("open sesame".utf8))
        let item = try binding(.applicationPassword)
        let need = #expect(throws: KeychainError.self) { try wrapped(item) }
        #expect(need?.need?.password == .new)
        let outcome = Outcome()
        let id = try enclave.desk.begin(question(.nothing, password: .new), settle: outcome.settle)
        #expect(throws: KeychainError(.invalidParameter, "")) { try enclave.desk.answer(id, password: SecretBytes([])) }
        #expect(try enclave.desk.answer(id, password: password) == .accepted)
        let proof = try #require(outcome.proof)
        let boxes = try enclave.wrap(
            [UnwrappedItemKey(binding: item, key: key)],
            with: ItemCredentials(proofs: [proof])
        )
        let stored = WrappedItemKey(binding: item, box: try #require(boxes.first))
        #expect(try error(stored, proof) == nil)
        #expect(try error(stored)?.need?.password == .existing)
    }
}
