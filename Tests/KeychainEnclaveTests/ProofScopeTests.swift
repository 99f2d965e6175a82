import Crypto
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

extension PresenceDesk {
    /// For a program that the question itself names.
    func begin(
        _ question: PresenceQuestion,
        on connection: UInt64 = 0,
        settle: @escaping @Sendable (Result<PresenceProof, KeychainError>) -> Void
    ) throws(KeychainError) -> ItemUUID {
        let asker = { () throws(KeychainError) -> Asker in
            guard case .named(let name, let isVerified) = question.asker else {
                throw KeychainError(.internalError, "the question names nobody")
            }
            return .named(name, isVerified: isVerified)
        }
        return try begin(question, of: asker, on: connection, settle: settle)
    }
}

@Suite("What a proof is good for, and who may ask for it")
struct ProofScopeTests {
    private let enclave: LocalEnclave
    private static let passcode = SecretBytes(Array("passcode".utf8))

    init() throws {
        let deviceKey = DeviceKey()
        enclave = try LocalEnclave(Keybag(creatingUnder: deviceKey), under: deviceKey, cost: .uncheckedLeast)
        try enclave.passcode.changePasscode(from: nil, to: Self.passcode, by: .owner)
        _ = enclave.desk.register(Silent(), for: .typing)
    }

    private struct Silent: Prompter {
        func show(_ prompt: Prompt) {}
        func withdraw(_ question: ItemUUID) {}
    }

    private final class Outcome: Sendable {
        private let result = Mutex<Result<PresenceProof, KeychainError>?>(nil)

        func settle(_ result: Result<PresenceProof, KeychainError>) { self.result.withLock { $0 = result } }

        var proof: PresenceProof? { result.withLock { try? $0?.get() } }
        var error: KeychainError? {
            result.withLock { if case .failure(let error) = $0 { error } else { nil } }
        }
    }

    private func program(
        _ path: String,
        isInstalled: Bool = false,
        connection: UInt64 = 1
    ) -> Asker {
        .vouched(VouchedProgram(pid: 7, path: path, isInstalled: isInstalled, connection: connection), name: "name")
    }

    private func question(_ scope: PresenceScope, password: PasswordWish = .none) -> PresenceQuestion {
        PresenceQuestion(
            of: .named("program", isVerified: false),
            password == .none ? .passcode : .nothing,
            password: password,
            for: scope
        )
    }

    private func item(_ group: String, _ flags: AccessControlFlags = .devicePasscode) throws -> WrappedItemKey {
        let binding = ItemBinding.sample(group: group, guardedBy: try AccessControl(protection: "ak", flags: flags))
        let key = UnwrappedItemKey(binding: binding, key: SymmetricKey(size: .bits256))
        return WrappedItemKey(binding: binding, box: try #require(enclave.wrap([key]).first))
    }

    private func prove(_ scope: PresenceScope, of asker: Asker, on connection: UInt64 = 0) throws -> PresenceProof {
        let outcome = Outcome()
        let id = try enclave.desk.begin(question(scope), of: { asker }, on: connection, settle: outcome.settle)
        #expect(try enclave.desk.answer(id, typed: Self.passcode) == .accepted)
        return try #require(outcome.proof)
    }

    private func opens(_ item: WrappedItemKey, _ proof: PresenceProof, on connection: UInt64 = 0) throws -> Bool {
        var credentials = ItemCredentials(proofs: [proof])
        credentials.connection = connection
        return try enclave.unwrap([item], with: credentials).allSatisfy { (try? $0.get()) != nil }
    }

    // MARK: - Items

    @Test func `a proof for an item of one group opens no item of that name in another`() throws {
        let item = try item("TEAM.a")
        let uuid = item.binding.uuid
        let wrong = try prove(.items([uuid: "TEAM.b"]), of: program("/a"))
        #expect(try !opens(item, wrong))
        let right = try prove(.items([uuid: "TEAM.a"]), of: program("/a"))
        #expect(try opens(item, right))
    }

    @Test func `nobody is asked about no item, or too many, or more groups than a prompt names`() throws {
        func refused(_ scope: PresenceScope) -> KeychainError.Code? {
            do throws(KeychainError) {
                _ = try enclave.desk.begin(question(scope)) { _ in }
                return nil
            } catch { return error.code }
        }
        func items(_ count: Int, groups: Int = 1) -> PresenceScope {
            .items(Dictionary(uniqueKeysWithValues: (0..<count).map { (ItemUUID(), "TEAM.\($0 % groups)") }))
        }
        #expect(refused(items(0)) == .invalidParameter)
        #expect(refused(items(257)) == .invalidParameter)
        #expect(refused(items(5, groups: 5)) == .invalidParameter)
        #expect(refused(items(256, groups: 4)) == nil)
    }

    @Test func `a password that was typed for a new item opens nothing that is there`() throws {
        let password = SecretBytes(Array("open sesame".utf8))
        let outcome = Outcome()
        let id = try enclave.desk.begin(
            question(.newItem(accessGroup: "TEAM.a"), password: .new),
            settle: outcome.settle
        )
        #expect(try enclave.desk.answer(id, password: password) == .accepted)
        let credentials = ItemCredentials(proofs: [try #require(outcome.proof)])
        func binding(_ group: String) throws -> ItemBinding {
            var binding = try item("TEAM.a").binding
            binding.accessGroup = group
            binding.accessControl = try AccessControl(protection: "ak", flags: .applicationPassword).serialized
            return binding
        }
        let own = UnwrappedItemKey(binding: try binding("TEAM.a"), key: SymmetricKey(size: .bits256))
        let box = try #require(enclave.wrap([own], with: credentials).first)
        let stored = WrappedItemKey(binding: own.binding, box: box)
        let error = try #require(enclave.unwrap([stored], with: credentials).first)
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try error.get() }
        let other = UnwrappedItemKey(binding: try binding("TEAM.b"), key: SymmetricKey(size: .bits256))
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try enclave.wrap([other], with: credentials) }
    }

    // MARK: - Contexts

    @Test func `what is proved in a context opens its groups' items and no others`() throws {
        let context = try enclave.openContext(["TEAM.a", "TEAM.b"])
        let proof = try prove(.context(context), of: program("/a"))
        #expect(try opens(item("TEAM.a"), proof))
        #expect(try opens(item("TEAM.b"), proof))
        #expect(try !opens(item("TEAM.c"), proof))
        enclave.closeContext(context)
        #expect(try !opens(item("TEAM.a"), proof))
    }

    @Test func `a context is of the program that asked first in it`() throws {
        let context = try enclave.openContext(["TEAM.a"])
        _ = try prove(.context(context), of: program("/a"))
        for stranger in [program("/b"), program("/a", connection: 2), program("/a", isInstalled: true)] {
            #expect(throws: KeychainError(.noPermission, "")) {
                _ = try enclave.desk.begin(question(.context(context)), of: { stranger }) { _ in }
            }
        }
        #expect(throws: Never.self) { try prove(.context(context), of: program("/a")) }
    }

    @Test func `proofs and contexts are of one connection, and end with it`() throws {
        let item = try item("TEAM.a")
        let desk = enclave.desk
        let context = try desk.openContext(["TEAM.a"], on: 5)
        #expect(throws: KeychainError(.itemNotFound, "")) {
            _ = try desk.begin(question(.context(context)), on: 6) { _ in }
        }
        let single = PresenceScope.items([item.binding.uuid: "TEAM.a"])
        for scope in [.context(context), single] {
            let proof = try prove(scope, of: program("/a"), on: 5)
            #expect(try opens(item, proof, on: 5))
            #expect(try !opens(item, proof, on: 6) && !opens(item, proof))
            desk.closeContext(context, on: 6)
            #expect(try opens(item, proof, on: 5))
            desk.end(6)
            #expect(try opens(item, proof, on: 5))
            if scope == single {
                desk.end(5)
                #expect(try !opens(item, proof, on: 5))
            }
        }
        #expect(throws: KeychainError(.itemNotFound, "")) {
            _ = try desk.begin(question(.context(context)), on: 5) { _ in }
        }
    }

    @Test func `a context goes with a lock and after eight hours`() throws {
        let now = Mutex(StartClock.current.now)
        try StartClock.$uncheckedReading.withValue({ StartClock(start: ItemUUID().bytes, now: now.withLock(\.self)) }) {
            let locked = try enclave.openContext(["TEAM.a"])
            try enclave.lock()
            try enclave.passcode.unlock(Self.passcode, by: .owner)
            let context = try enclave.openContext(["TEAM.a"])
            #expect(throws: KeychainError(.itemNotFound, "")) {
                _ = try enclave.desk.begin(question(.context(locked))) { _ in }
            }
            now.withLock { $0 += 7 * 3_600_000_000_000 }
            #expect(throws: Never.self) { try prove(.context(context), of: program("/a")) }
            now.withLock { $0 += 3_601_000_000_000 }
            #expect(throws: KeychainError(.itemNotFound, "")) {
                _ = try enclave.desk.begin(question(.context(context))) { _ in }
            }
        }
    }

    @Test func `ten thousand contexts take no more room than some, and drive out none that was used`() throws {
        let used = try enclave.openContext(["TEAM.a"])
        let proof = try prove(.context(used), of: program("/a"))
        for _ in 0..<10_000 { _ = try enclave.openContext(["TEAM.b"]) }
        #expect(enclave.desk.state.withLock { $0.proofs.contextCount } == KeptProofs.mostContexts)
        #expect(try opens(item("TEAM.a"), proof))
        #expect(throws: KeychainError(.invalidParameter, "")) {
            try enclave.openContext((0..<5).map { "TEAM.\($0)" })
        }
    }

    // MARK: - The owner's view

    private func isRefused(_ proofs: [PresenceProof], _ scope: PresenceScope) -> Bool {
        do throws(KeychainError) {
            try enclave.require(proofs, for: scope)
            return false
        } catch {
            return error.code == .interactionNotAllowed
        }
    }

    @Test func `what is proved for the owner's view opens nothing, and nothing else is good for the view`() throws {
        let item = try item("TEAM.a", .userPresence)
        let single = PresenceScope.items([item.binding.uuid: "TEAM.a"])
        let view = try prove(.ownersView, of: program("/a"))
        let other = try prove(single, of: program("/a"))
        let context = try enclave.openContext(["TEAM.a"])
        let inContext = try prove(.context(context), of: program("/a"))
        #expect(!isRefused([other, view], .ownersView))
        #expect(isRefused([other, inContext], .ownersView) && isRefused([], .ownersView))
        #expect(!isRefused([view, other], single))
        #expect(isRefused([view], single))
        #expect(try !opens(item, view))
        // Of many items, each has to be proved, in its group.
        #expect(isRefused([other], .items([item.binding.uuid: "TEAM.a", ItemUUID(): "TEAM.a"])))
        #expect(isRefused([other], .items([item.binding.uuid: "TEAM.b"])))
        for scope in [PresenceScope.context(context), .newItem(accessGroup: "TEAM.a")] {
            #expect(isRefused([other, view, inContext], scope))
        }
        enclave.forget(view)
        #expect(isRefused([view], .ownersView))
    }

    @Test func `the owner's view is of one connection, for ten minutes, and until a lock`() throws {
        let now = Mutex(StartClock.current.now)
        try StartClock.$uncheckedReading.withValue({ StartClock(start: ItemUUID().bytes, now: now.withLock(\.self)) }) {
            let elsewhere = try prove(.ownersView, of: program("/a"), on: 5)
            #expect(isRefused([elsewhere], .ownersView))
            var credentials = ItemCredentials(proofs: [elsewhere])
            credentials.connection = 5
            #expect(enclave.desk.prove(.ownersView, by: credentials))
            let view = try prove(.ownersView, of: program("/a"))
            now.withLock { $0 += 599_000_000_000 }
            #expect(!isRefused([view], .ownersView))
            now.withLock { $0 += 2_000_000_000 }
            #expect(isRefused([view], .ownersView))
            let last = try prove(.ownersView, of: program("/a"))
            #expect(!isRefused([last], .ownersView))
            try enclave.lock()
            try enclave.passcode.unlock(Self.passcode, by: .owner)
            #expect(isRefused([last], .ownersView))
        }
    }

    @Test func `a question that asks for nothing proves no view`() throws {
        let outcome = Outcome()
        let lenient = PresenceQuestion(
            of: .named("program", isVerified: false),
            .nothing,
            password: .new,
            for: .ownersView
        )
        let id = try enclave.desk.begin(lenient, settle: outcome.settle)
        _ = try enclave.desk.answer(id, password: SecretBytes(Array("any".utf8)))
        #expect(isRefused([try #require(outcome.proof)], .ownersView))
    }

    // MARK: - How often

    @Test func `fresh programs have four questions open together, and an installed one has its own`() throws {
        let scope = PresenceScope.items([ItemUUID(): "TEAM.a"])
        var open = 0
        for index in 0..<8 {
            for _ in 0..<4 {
                let fresh = program("/srv/alice/fresh-\(index)", connection: UInt64(index))
                if (try? enclave.desk.begin(question(scope), of: { fresh }, settle: { _ in })) != nil { open += 1 }
            }
        }
        #expect(open == 4)
        let bank = program("/usr/bin/bank", isInstalled: true)
        #expect(throws: Never.self) { try enclave.desk.begin(question(scope), of: { bank }) { _ in } }
        // It waits for the one that is shown, and for no other.
        let order = enclave.desk.state.withLock { $0.questions.map { $0.asker.description.standing } }
        #expect(order == [.notInstalled, .installed, .notInstalled, .notInstalled, .notInstalled])
    }

    @Test func `fresh programs that are declined wait together, have a part of a minute's prompts, and no more`() {
        let now = Mutex(StartClock.current.now)
        StartClock.$uncheckedReading.withValue({ StartClock(start: ItemUUID().bytes, now: now.withLock(\.self)) }) {
            let scope = PresenceScope.items([ItemUUID(): "TEAM.a"])
            func begin(_ asker: Asker) -> ItemUUID? {
                try? enclave.desk.begin(question(scope), of: { asker }) { _ in }
            }
            func fresh(_ index: Int) -> Asker { program("/srv/alice/\(index)", connection: UInt64(index)) }
            let bank = program("/usr/bin/bank", isInstalled: true)
            let taken = (0..<40).count { index in
                let id = begin(fresh(index))
                if let id { enclave.desk.withdraw(id) }
                return id != nil
            }
            #expect(taken == 24)
            let own = (0..<40).count { _ in
                let id = begin(bank)
                if let id { enclave.desk.withdraw(id) }
                return id != nil
            }
            #expect(own == 6)
            now.withLock { $0 += 61_000_000_000 }
            for index in 0..<8 {
                if let id = begin(fresh(index)) { enclave.desk.decline(id, because: .declined, of: .typing) }
            }
            #expect(begin(fresh(100)) == nil)
            #expect(begin(bank) != nil)
        }
    }

    // MARK: - Where nobody can be asked

    @Test func `a password that no prompter can ask for fails its question at once, and the next one is shown`() throws
    {
        let (first, second) = (Outcome(), Outcome())
        let scope = PresenceScope.items([ItemUUID(): "TEAM.a"])
        let id = try enclave.desk.begin(question(scope, password: .existing), settle: first.settle)
        let next = try enclave.desk.begin(question(scope), settle: second.settle)
        enclave.desk.decline(id, because: .nobodyToAsk, of: .typing)
        #expect(first.error == KeychainError(.interactionNotAllowed, ""))
        #expect(try enclave.desk.answer(next, typed: Self.passcode) == .accepted)
        #expect(second.proof != nil)
    }

    @Test func `a service in another process is not believed about who asks`() throws {
        let voucher = try #require(AskerVoucher([UInt8](repeating: 1, count: 16)))
        #expect(throws: KeychainError(.noPermission, "")) {
            _ = try enclave.ask(
                PresenceQuestion(
                    of: .vouched(by: voucher, name: "bank"),
                    .passcode,
                    for: .items([ItemUUID(): "TEAM.a"])
                ),
                isWanted: { true }
            )
        }
    }

    // MARK: - Vouchers

    @Test func `a voucher is good for a minute and once, and of many the oldest go`() throws {
        let bank = VouchedProgram(pid: 7, path: "/usr/bin/bank", isInstalled: true, connection: 1)
        let now = Mutex(StartClock.current.now)
        try StartClock.$uncheckedReading.withValue({ StartClock(start: ItemUUID().bytes, now: now.withLock(\.self)) }) {
            var vouchers = Vouchers()
            let first = try #require(AskerVoucher([UInt8](repeating: 1, count: 16)))
            vouchers.add(first, for: bank, of: 1)
            now.withLock { $0 += 59_000_000_000 }
            #expect(vouchers.redeem(first, of: 1) == bank)
            #expect(vouchers.redeem(first, of: 1) == nil)
            vouchers.add(first, for: bank, of: 1)
            now.withLock { $0 += 61_000_000_000 }
            #expect(vouchers.redeem(first, of: 1) == nil)
            vouchers.add(first, for: bank, of: 2)
            for number in 0..<10_000 {
                let bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
                vouchers.add(try #require(AskerVoucher(bytes)), for: bank, of: 3 + UInt32(number % 4))
            }
            #expect(vouchers.count == 1 + 4 * 64)
            #expect(vouchers.redeem(first, of: 2) == bank)
        }
    }
}
