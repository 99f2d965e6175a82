import Crypto
import EnclaveInterface
import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import EnclaveClient
@testable import EnclaveServer

/// The keychain service's side and the enclave's, over their sockets.
struct RemoteEnclaveTests {
    private let served: ServedEnclave
    private let uid: UInt32 = 1000
    private let passcode = SecretBytes(Array("passcode".utf8))

    init() throws {
        served = try ServedEnclave()
    }

    private func opened() throws -> any Enclave {
        let folder = RemoteEnclaveFolder(served.connection(), uid: uid)
        try folder.create()
        return try folder.open()
    }

    @Test
    func `a folder is made once and found after that`() throws {
        let folder = RemoteEnclaveFolder(served.connection(), uid: uid)
        #expect(try folder.presence() == .none)
        #expect(throws: KeychainError(.itemNotFound, "")) { try folder.open() }
        try folder.create()
        #expect(try folder.presence() == .complete)
        #expect(try folder.open().state().lock == .unlocked)
    }

    @Test
    func `a folder that was taken away is made anew, with other keys than before`() throws {
        let folder = RemoteEnclaveFolder(served.connection(), uid: uid)
        try folder.create()
        let before = try folder.open().state()
        try FileManager.default.removeItem(atPath: served.folder + "/users/\(uid)")
        try folder.create()
        #expect(try folder.open().state().keychain != before.keychain)
        // Making it once more changes nothing.
        let after = try folder.open().state()
        try folder.create()
        #expect(try folder.open().state().keychain == after.keychain)
    }

    @Test
    func `what was wrapped is unwrapped, in lists longer than a message`() throws {
        let enclave = try opened()
        let group = String(repeating: "g", count: 900)
        let keys = (0..<1000).map { _ in
            UnwrappedItemKey(binding: .sample(group: group), key: SymmetricKey(size: .bits256))
        }
        let boxes = try enclave.wrap(keys)
        let wrapped = zip(keys, boxes).map { WrappedItemKey(binding: $0.binding, box: $1) }
        let opened = try enclave.unwrap(wrapped)
        #expect(try opened.map { try $0.get() } == keys.map(\.key))
    }

    @Test
    func `a row that no message can hold is damaged, and the others are not`() throws {
        let enclave = try opened()
        let key = UnwrappedItemKey(binding: .sample(), key: SymmetricKey(size: .bits256))
        let box = try #require(try enclave.wrap([key]).first)
        let good = WrappedItemKey(binding: key.binding, box: box)
        let short = ItemBinding(
            itemClass: .genericPassword,
            uuid: ItemUUID(),
            version: [1],
            accessGroup: "",
            accessibility: 1,
            isSynchronizable: false,
            isTombstone: false,
            accessControl: []
        )
        let results = try enclave.unwrap([WrappedItemKey(binding: short, box: []), good])
        #expect(results.first == .failure(KeychainError(.undecodable, "")))
        #expect(try results.last?.get() == key.key)
    }

    @Test
    func `a lock returns after the service has heard of it, and the epoch has changed`() throws {
        let enclave = try opened()
        let owner = try served.owner(of: uid)
        try served.setPasscode(passcode, of: uid, by: owner)
        let heard = Mutex<[EnclaveState.Lock]>([])
        enclave.observe { state in heard.withLock { $0.append(state.lock) } }
        let before = try enclave.epoch
        try owner.lock()
        #expect(heard.withLock { $0.last } == .locked)
        #expect(try enclave.epoch > before)
        #expect(throws: KeychainError(.interactionNotAllowed, "")) {
            try enclave.wrap([UnwrappedItemKey(binding: .sample(), key: SymmetricKey(size: .bits256))])
        }
        #expect(try enclave.serviceKeys().metadata[.whenUnlocked] == nil)
        try owner.unlock(passcode)
        #expect(heard.withLock { $0.last } == .unlocked)
        #expect(try enclave.serviceKeys().metadata[.whenUnlocked] != nil)
    }

    @Test
    func `a service that does not acknowledge a change holds it up no longer than two seconds, and is cut off`() throws
    {
        let channel = try served.rawChannel(acknowledging: false)
        #expect(try channel.refusal(of: CreateKeychainRequest(), uid: uid) == nil)
        // Somebody who reads no events.
        let owner = try served.owner(of: uid)
        // Whoever changes it may or may not hear of it in time.
        try? served.setPasscode(passcode, of: uid, by: owner)
        // The enclave ends with the connection of the service that had started it.
        var isThere = true
        for _ in 0..<200 where isThere {
            isThere = (try? owner.state()) != nil
            usleep(50_000)
        }
        #expect(!isThere)
    }

    @Test
    func `a hundred owners unlock at once`() async throws {
        let enclave = try opened()
        let first = try served.owner(of: uid)
        try served.setPasscode(passcode, of: uid, by: first)
        try first.lock()
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    (try? served.owner(of: uid).unlock(passcode)) != nil
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.count(where: \.self) == 100)
        #expect(try enclave.state().lock == .unlocked)
    }

    @Test
    func `an enclave that has ended is an error, and one that listens again is used again`() throws {
        let connection = served.connection()
        let folder = RemoteEnclaveFolder(connection, uid: uid)
        try folder.create()
        let enclave = try folder.open()
        served.service.stop()
        // The loop ends when it is woken; until then it may answer.
        try waitUntil("the enclave answers no more", pause: 1_000) { (try? enclave.state()) == nil }
        #expect(throws: KeychainError(.notAvailable, "")) { try enclave.epoch }
        #expect(throws: KeychainError(.notAvailable, "")) { try enclave.serviceKeys() }
    }
}
