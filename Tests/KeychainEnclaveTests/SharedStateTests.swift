import Dispatch
import KeychainModel
import KeychainSystem
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("Processes that share what is unlocked")
struct SharedStateTests {
    /// The real file, with something that another process does just before it is used.
    private final class Interrupted: UnlockedStorage {
        private let file: UnlockedFile
        private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

        init(_ file: UnlockedFile) {
            self.file = file
        }

        func interrupt(_ body: @escaping @Sendable () -> Void) { interruption.withLock { $0 = body } }
        var isInterrupted: Bool { interruption.withLock { $0 == nil } }

        func withLock<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
            interruption.withLock { $0.take() }?()
            return try file.withLock(body)
        }

        var stamp: FileStamp? { file.stamp }
        func read() -> SecretBytes? { file.read() }
        func write(_ contents: SecretBytes) throws(KeychainError) { try file.write(contents) }
        func remove() { file.remove() }
    }

    private let fixture: EnclaveFixture
    private let clock = TestClock()

    init() throws {
        fixture = try EnclaveFixture()
    }

    private func open() throws -> (enclave: LocalEnclave, storage: Interrupted) {
        var storage: Interrupted?
        let enclave = try LocalEnclave(
            FolderStorage(fixture.path, isShared: true),
            device: FileBinding(path: fixture.folder.deviceKeyPath),
            cost: .uncheckedLeast
        ) { keybag in
            storage = UnlockedFile(keybag: keybag).map(Interrupted.init)
            return storage
        }
        return (enclave, try #require(storage))
    }

    /// Two processes that have the keychain unlocked, which locks itself after a minute without use.
    private func unlocked() throws -> (one: LocalEnclave, other: LocalEnclave, othersStorage: Interrupted) {
        let (one, _) = try open()
        try one.owner.changePasscode(from: nil, to: secret("first"))
        try one.owner.change(LockSettings(timeout: 60), passcode: nil)
        let (other, storage) = try open()
        #expect(try other.state().lock == .unlocked)
        return (one, other, storage)
    }

    @Test func `what one unlocks or locks, all have`() throws {
        try clock.run { () throws in
            let (one, other, _) = try unlocked()
            try one.lock()
            #expect(try other.state().lock == .locked)
            try other.owner.unlock(secret("first"))
            #expect(try one.state().lock == .unlocked)
            try one.logOut()
            #expect(try other.state().lock == .beforeFirstUnlock)
        }
    }

    @Test func `a use that is noted down while another process locks does not undo the lock`() throws {
        try clock.run { () throws in
            let (one, other, storage) = try unlocked()
            clock.advance(10)
            storage.interrupt { try? one.lock() }
            _ = try other.epoch
            #expect(storage.isInterrupted)
            #expect(try one.state().lock == .locked)
            #expect(try other.state().lock == .locked)
            #expect(try open().enclave.state().lock == .locked)
        }
    }

    @Test func `a change of the passcode while another process locks does not undo the lock`() throws {
        try clock.run { () throws in
            let (one, other, storage) = try unlocked()
            storage.interrupt { try? one.lock() }
            try other.owner.changePasscode(from: secret("first"), to: secret("second"))
            #expect(storage.isInterrupted)
            #expect(try open().enclave.state().lock != .unlocked)
            #expect(try one.state().lock != .unlocked)
            #expect(try other.state().lock != .unlocked)
            try one.owner.unlock(secret("second"))
            #expect(try other.state().lock == .unlocked)
        }
    }

    @Test func `many processes that note down their use at once lock nobody out`() throws {
        try clock.run { () throws in
            let (one, _, _) = try unlocked()
            let enclaves = try (0..<4).map { _ in try open().enclave }
            let reading = StartClock.uncheckedReading
            let locked = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: enclaves.count) { index in
                for round in 0..<100 {
                    let now = reading().now + UInt64(round) * 2_000_000_000 % 50_000_000_000
                    StartClock.$uncheckedReading.withValue({ StartClock(start: reading().start, now: now) }) {
                        _ = try? enclaves[index].epoch
                        if (try? enclaves[index].state().lock) != .unlocked { locked.withLock { $0 += 1 } }
                    }
                }
            }
            #expect(locked.withLock { $0 } == 0)
            #expect(try one.state().lock == .unlocked)
        }
    }
}
