import Crypto
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import LocalEnclave

@Suite("Item keys under application passwords")
struct ApplicationPasswordTests {
    private let fixture: EnclaveFixture
    private let enclave: LocalEnclave
    private let key = SymmetricKey(size: .bits256)

    init() throws {
        fixture = try EnclaveFixture()
        enclave = try fixture.open()
    }

    private func binding(_ flags: AccessControlFlags = .applicationPassword) throws -> ItemBinding {
        .sample(guardedBy: try AccessControl(protection: "ak", flags: flags))
    }

    private func password(_ text: String) throws -> ApplicationPassword {
        try ApplicationPassword(SecretBytes(Array(text.utf8)))
    }

    private func wrapped(_ binding: ItemBinding) throws -> WrappedItemKey {
        let boxes = try enclave.wrap(
            [UnwrappedItemKey(binding: binding, key: key)],
            with: ItemCredentials(applicationPassword: password("right"))
        )
        return WrappedItemKey(binding: binding, box: try #require(boxes.first))
    }

    /// Nil for the right key.
    private func code(_ item: WrappedItemKey, _ text: String?) throws -> KeychainError.Code? {
        let results = try enclave.unwrap(
            [item],
            with: ItemCredentials(applicationPassword: text.map { try password($0) })
        )
        switch try #require(results.first) {
        case .success(let opened):
            #expect(opened == key)
            return nil
        case .failure(let error): return error.code
        }
    }

    @Test func `a key comes out with its password alone`() throws {
        let item = try wrapped(binding())
        #expect(try code(item, "right") == nil)
        #expect(try code(item, nil) == .interactionNotAllowed)
        #expect(try code(item, "wrong") == .authenticationFailed)
        #expect(try code(item, "right") == nil)
    }

    @Test func `an access control that was edited, or one that is not understood, opens nothing`() throws {
        let item = try wrapped(binding())
        var edited = item.binding
        edited.accessControl = []
        #expect(try code(WrappedItemKey(binding: edited, box: item.box), nil) == .undecodable)
        edited.accessControl = try AccessControl(protection: "ak", flags: []).serialized
        #expect(try code(WrappedItemKey(binding: edited, box: item.box), nil) == .undecodable)
        edited.accessControl = [1, 1, 0, 0, 0, 0, 0, 0, 8, 0]
        #expect(try code(WrappedItemKey(binding: edited, box: item.box), "right") == .undecodable)
        #expect(throws: KeychainError.self) {
            try enclave.wrap([UnwrappedItemKey(binding: edited, key: key)], with: .none)
        }
    }

    @Test func `new class keys take the box along, and what is inside stays under the password`() throws {
        try enclave.owner.changePasscode(from: nil, to: secret("passcode"))
        try enclave.finishTheRotation()
        let item = try wrapped(binding())
        _ = try enclave.beginRotation(
            enclave.owner.authorize(.rotateKeys, passcode: secret("passcode"))
        )
        let boxes = try enclave.rewrap([item, WrappedItemKey(binding: binding(), box: item.box)])
        #expect(boxes.map { $0 == nil } == [false, true])
        try enclave.finishTheRotation()
        #expect(try code(item, "right") == .undecodable)
        let renewed = WrappedItemKey(binding: item.binding, box: try #require(boxes[0]))
        #expect(try code(renewed, nil) == .interactionNotAllowed)
        #expect(try code(renewed, "right") == nil)
    }

    @Test func `guesses are slowed, item by item, and time that is set back spares nobody the waiting`() throws {
        let now = Mutex<UInt64>(1_000_000_000_000)
        let reading: @Sendable () -> StartClock = {
            StartClock(start: Array(repeating: 1, count: 16), now: now.withLock { $0 })
        }
        try StartClock.$uncheckedReading.withValue(reading) {
            let item = try wrapped(binding())
            let other = try wrapped(binding())
            for _ in 0..<4 { #expect(try code(item, "wrong") == .authenticationFailed) }
            // Not even the right one.
            #expect(try code(item, "right") == .authenticationFailed)
            now.withLock { $0 += 4_000_000_000 }
            #expect(try code(item, "right") == .authenticationFailed)
            #expect(try code(other, "right") == nil)
            now.withLock { $0 += 2_000_000_000 }
            #expect(try code(item, "right") == nil)
        }
    }

    @Test func `a list is opened as far as its passwords are the same`() throws {
        let plain = try binding([])
        let boxes = try enclave.wrap([UnwrappedItemKey(binding: plain, key: key)])
        let items = [try wrapped(binding()), WrappedItemKey(binding: plain, box: try #require(boxes.first))]
        #expect(try enclave.unwrap(items).map { (try? $0.get()) == key } == [false, true])
        let opened = try enclave.unwrap(items, with: ItemCredentials(applicationPassword: password("right")))
        #expect(opened.map { (try? $0.get()) == key } == [true, true])
    }
}
