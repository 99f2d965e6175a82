import Foundation
import GRDB
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Logging
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import KeychainEngine
@testable import KeychainStore
@testable import KeychainVault
@testable import LocalEnclave

/// The database follows its keybag, whatever comes in between.
@Suite("Rows under new keys")
struct RotationTests {
    private let keychain: TestKeychain
    /// As another process has it.
    private let control: LocalControl
    private let caller = Caller(name: "test", groups: AccessGroups(TestKeychain.groups))
    private static let passcode = SecretBytes(Array("passcode".utf8))

    init() throws {
        keychain = try TestKeychain()
        _ = try keychain.engine()
        let folder = LocalEnclaveFolder(path: keychain.path, sharing: .embedded, cost: .uncheckedLeast)
        control = LocalControl(try folder.openLocal(), for: .owner)
    }

    private func add(_ account: String, _ accessible: Accessibility = .whenUnlocked, to engine: KeychainEngine) throws {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        request.secrets[.valueData] = SecretBytes(Array(account.utf8))
        request.accessibility = accessible
        _ = try engine.keychain(of: caller).add(request)
    }

    private func accounts(in engine: KeychainEngine) throws -> [String] {
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        request.limit = .all
        request.returns = [.data]
        return try engine.keychain(of: caller).find(request).compactMap { $0.value }.sorted()
    }

    private func columns(_ name: String) throws -> [Data] {
        try keychain.sql { try Data.fetchAll($0, sql: "SELECT \(name) FROM genp ORDER BY id") }
    }

    private func generation() throws -> UInt64 {
        let content = try #require(try keychain.sql { try Data.fetchOne($0, sql: "SELECT content FROM header") })
        return content.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func rotate(_ engine: KeychainEngine) throws {
        let enclave = try #require(engine.vault.enclave as? LocalEnclave)
        let owner = LocalControl(enclave, for: .owner)
        let passcode = try control.state().hasPasscode ? Self.passcode : nil
        try engine.rotateKeys(owner.authorize(.rotateKeys, passcode: passcode))
    }

    private func begin(in engine: KeychainEngine) throws {
        let enclave = try #require(engine.vault.enclave as? LocalEnclave)
        let owner = LocalControl(enclave, for: .administrator)
        try engine.vault.beginRotation(owner.authorize(.rotateKeys, passcode: nil))
    }

    // MARK: - The first passcode

    @Test func `with the first passcode no row opens by the keys from before`() throws {
        let engine = try keychain.engine()
        for account in ["a", "b"] { try add(account, to: engine) }
        try add("always", .always, to: engine)
        let (keys, metadata, secrets) = (try columns("key"), try columns("metadata"), try columns("secret"))
        try control.changePasscode(from: nil, to: Self.passcode)
        #expect(try accounts(in: engine) == ["a", "always", "b"])
        #expect(try !control.state().isRotating)
        #expect(try generation() == control.state().generation)
        let now = (try columns("key"), try columns("metadata"), try columns("secret"))
        for row in 0..<2 {
            #expect(now.0[row] != keys[row])
            #expect(now.1[row] != metadata[row])
        }
        #expect(now.0[2] == keys[2] && now.1[2] == metadata[2], "Always rows have the keys that they had")
        #expect(now.2 == secrets, "no secret is sealed anew")
    }

    @Test func `rows that were set aside or are tombstones go along, and a damaged one stays as it is`() throws {
        let engine = try keychain.engine()
        for account in ["a", "b", "c"] { try add(account, to: engine) }
        try keychain.sql(
            "UPDATE genp SET aside = id WHERE id = 1; UPDATE genp SET metadata = zeroblob(99) WHERE id = 2"
        )
        let before = try columns("metadata")
        try control.changePasscode(from: nil, to: Self.passcode)
        #expect(try accounts(in: engine) == ["c"])
        let after = try columns("metadata")
        #expect(after[0] != before[0])
        #expect(after[1] == before[1])
        #expect(try !control.state().isRotating)
    }

    // MARK: - Rotation

    @Test(arguments: [true, false])
    func `a rotation puts every row of every class under new keys, and counts them`(hasPasscode: Bool) throws {
        let engine = try keychain.engine()
        if hasPasscode { try control.changePasscode(from: nil, to: Self.passcode) }
        let classes = hasPasscode ? Accessibility.allCases : Accessibility.allCases.dropLast()
        var requests: [AddRequest] = []
        for number in 0..<1_100 {
            var request = AddRequest(itemClass: number % 3 == 0 ? .internetPassword : .genericPassword)
            request.attributes["acct"] = .string("\(number)")
            request.accessibility = classes[number % classes.count]
            requests.append(request)
        }
        try engine.addBatchUnchecked(requests, for: caller)
        let before = (try columns("key"), try columns("metadata"))
        let generation = try control.state().generation
        try rotate(engine)
        let after = (try columns("key"), try columns("metadata"))
        #expect(before.0.count > 600 && zip(before.0, after.0).allSatisfy { $0 != $1 })
        #expect(zip(before.1, after.1).allSatisfy { $0 != $1 })
        #expect(try keychain.engine().keychain(of: caller).find(.everything(.internetPassword)).count == 367)
        #expect(try keychain.engine().keychain(of: caller).find(.everything(.genericPassword)).count == 733)
        let seals = try keychain.sql { try Int.fetchAll($0, sql: "SELECT seals FROM usage") }
        #expect(seals.reduce(0, +) == 1_100)
        #expect(try control.state().generation == generation + 2)
        #expect(try self.generation() == generation + 2)
    }

    @Test func `a rotation that was stopped goes on when the keychain is opened or used`() throws {
        let engine = try keychain.engine()
        for account in ["a", "b"] { try add(account, to: engine) }
        let before = try columns("key")
        try begin(in: engine)
        #expect(try control.state().isRotating)
        #expect(try accounts(in: keychain.engine()) == ["a", "b"])
        #expect(try !control.state().isRotating)
        #expect(zip(before, try columns("key")).allSatisfy { $0 != $1 })
        try begin(in: engine)
        try add("c", to: engine)
        #expect(try !control.state().isRotating)
        #expect(try accounts(in: keychain.engine()) == ["a", "b", "c"])
    }

    @Test func `a rotation waits for the passcode and goes on with it`() throws {
        let engine = try keychain.engine()
        try control.changePasscode(from: nil, to: Self.passcode)
        for account in ["a", "b"] { try add(account, to: engine) }
        try begin(in: engine)
        try control.lock()
        #expect(
            failure { () throws(KeychainError) in
                _ = try engine.keychain(of: caller).find(.everything(.genericPassword))
            }
                == .interactionNotAllowed
        )
        try add("always", .always, to: engine)
        #expect(try control.state().isRotating)
        try control.unlock(Self.passcode)
        #expect(try accounts(in: engine) == ["a", "always", "b"])
        #expect(try !control.state().isRotating)
    }

    /// The attack on it: what is sealed under old keys and written after their end would be lost.
    @Test func `who sealed under older keys does it again before writing`() throws {
        let (engine, other) = (try keychain.engine(), try keychain.engine())
        try add("a", to: engine)
        let rotated = Mutex(false)
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string("late")
        request.secrets[.valueData] = SecretBytes(Array("late".utf8))
        _ = try engine.write { () throws(KeychainError) in
            let step = try engine.step(toAdd: request, for: caller)
            // Sealed, and not written yet: another process rotates meanwhile.
            if rotated.withLock({ isDone in
                defer { isDone = true }
                return !isDone
            }) {
                do { try rotate(other) } catch { throw KeychainError(.internalError, "\(error)") }
            }
            return step
        }
        #expect(try accounts(in: keychain.engine()) == ["a", "late"])
    }

    /// The same for who reads: what is under keys that have gone looks damaged.
    @Test func `who began to read before a rotation that another process finished reads again, and misses nothing`()
        throws
    {
        let (engine, other) = (try keychain.engine(), try keychain.engine())
        for account in ["a", "b"] { try add(account, to: engine) }
        let rounds = Mutex(0)
        let found = try engine.read { () throws(KeychainError) in
            if rounds.withLock({ rounds in
                rounds += 1
                return rounds == 1
            }) {
                do { try rotate(other) } catch { throw KeychainError(.internalError, "\(error)") }
            }
            let search = try engine.step(toFind: .everything(.genericPassword), for: caller)
            return try engine.store.read(snapshot: true) { (transaction) throws(KeychainError) in
                try search.body(transaction) { _ in }
            }
        }
        #expect(rounds.withLock { $0 } == 2)
        #expect(found.count == 2)
    }

    @Test func `who looked through the rows before newer keys came does not end their rotation`() throws {
        let (engine, other) = (try keychain.engine(), try keychain.engine())
        try add("a", to: engine)
        try begin(in: engine)
        let seen = try (engine.vault.enclave as? LocalEnclave)?.state().generation ?? 0
        try other.vault.refresh()
        try rotate(other)
        try begin(in: other)
        try engine.vault.finishRotation(of: seen)
        #expect(try control.state().isRotating)
        #expect(try accounts(in: keychain.engine()) == ["a"])
        #expect(try !control.state().isRotating)
    }

    @Test func `many writers and readers go on during rotations, and lose nothing`() async throws {
        let path = keychain
        let writers = 4
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    let engine = try path.engine()
                    for number in 0..<50 {
                        var request = AddRequest(itemClass: .genericPassword)
                        request.attributes["acct"] = .string("\(writer) \(number)")
                        request.secrets[.valueData] = SecretBytes([1])
                        _ = try engine.keychain(of: Caller(name: "test", groups: AccessGroups(["test.default"]))).add(
                            request
                        )
                        _ = try engine.keychain(of: Caller(name: "test", groups: AccessGroups(["test.default"]))).find(
                            .everything(.genericPassword)
                        )
                    }
                }
            }
            for _ in 0..<5 { try rotate(keychain.engine()) }
            try await group.waitForAll()
        }
        #expect(try keychain.engine().keychain(of: caller).find(.everything(.genericPassword)).count == writers * 50)
        #expect(!keychain.log.messages.contains { $0.contains("damaged") })
    }

    // MARK: - The header

    @Test func `a keybag that is ahead is followed, and one that is behind is refused`() throws {
        let engine = try keychain.engine()
        try add("a", to: engine)
        let old = try keychain.read(keychain.keybag)
        try control.change(LockSettings(timeout: 60), passcode: nil)
        try control.change(LockSettings(timeout: 61), passcode: nil)
        #expect(try generation() == 1)
        #expect(try accounts(in: keychain.engine()) == ["a"])
        #expect(try generation() == 3)
        try keychain.write(old, to: keychain.keybag)
        #expect(
            failure { () throws(KeychainError) in _ = try keychain.directory.open(log: .init(label: "t")) }
                == .notAvailable
        )
        // Who has it open has seen no other, and writes nothing under it.
        let deletion = DeleteRequest(query: ItemQuery(itemClass: .genericPassword))
        #expect(
            failure { () throws(KeychainError) in try engine.keychain(of: caller).delete(deletion) } == .notAvailable
        )
    }

    @Test func `items that need a passcode leave the database with it, journal and all`() throws {
        let engine = try keychain.engine()
        try control.changePasscode(from: nil, to: Self.passcode)
        try add("bound", .whenPasscodeSetThisDeviceOnly, to: engine)
        try add("other", to: engine)
        let bytes = try #require(try columns("secret").first)
        #expect(try !keychain.files(containing: Array(bytes)).isEmpty)
        try control.changePasscode(from: Self.passcode, to: nil)
        #expect(try accounts(in: engine) == ["other"])
        #expect(try keychain.files(containing: Array(bytes)).isEmpty)
        #expect(keychain.log.messages == [])
    }
}

extension FindRequest {
    fileprivate static func everything(_ itemClass: ItemClass) -> FindRequest {
        var request = FindRequest(query: ItemQuery(itemClass: itemClass))
        request.limit = .all
        request.returns = [.data]
        return request
    }
}

extension TestKeychain {
    fileprivate var directory: KeychainDirectory { KeychainDirectory(path: path, cost: .uncheckedLeast) }

    /// As another process has it.
    fileprivate func engine() throws -> KeychainEngine {
        try directory.open(log: log.logger(.warning))
    }
}
