import EnclaveInterface
import KeychainModel
import KeychainTestSupport
import LocalEnclave
import Synchronization
import Testing

@testable import KeychainVault

/// An enclave whose keys arrive late: something happens between the fetching and the arrival.
private final class LateEnclave: ForwardingEnclave {
    let enclave: LocalEnclave
    private let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)
    private let isAway = Mutex(false)

    init(_ enclave: LocalEnclave) {
        self.enclave = enclave
    }

    func nextTime(_ action: @escaping @Sendable () -> Void) {
        meanwhile.withLock { $0 = action }
    }

    func unlock(_ passcode: SecretBytes) throws(KeychainError) {
        try LocalControl(enclave, for: .administrator).unlock(passcode)
    }

    func goAway() { isAway.withLock { $0 = true } }

    func answer<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Answer {
        guard request is ServiceKeysRequest else { return try enclave.answer(request) }
        if isAway.withLock({ $0 }) { throw KeychainError(.notAvailable, "the enclave is away") }
        let keys = try enclave.answer(request)
        let action = meanwhile.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
        return keys
    }
}

@Suite("The keys that the keychain's own code holds")
struct VaultKeysTests {
    private let enclave: LateEnclave
    private let keys: VaultKeys
    private static let passcode = SecretBytes(Array("passcode".utf8))

    init() throws {
        let deviceKey = DeviceKey()
        let local = try LocalEnclave(Keybag(creatingUnder: deviceKey), under: deviceKey, cost: .uncheckedLeast)
        try LocalControl(local, for: .administrator).changePasscode(
            from: nil,
            to: Self.passcode
        )
        enclave = LateEnclave(local)
        keys = try VaultKeys(enclave)
        let keys = keys
        enclave.observe { keys.drop(allBut: $0) }
    }

    private func hasKeys(_ accessibility: Accessibility) -> Bool {
        (try? keys.metadataKeys(for: accessibility)) != nil
    }

    @Test func `a lock takes the keys of locked classes before it returns, and unlocking brings them back`() throws {
        #expect(hasKeys(.whenUnlocked))
        try enclave.lock()
        #expect(!hasKeys(.whenUnlocked))
        #expect(hasKeys(.afterFirstUnlock))
        try enclave.unlock(Self.passcode)
        try keys.refresh()
        #expect(hasKeys(.whenUnlocked))
    }

    @Test func `keys that were fetched before a lock and arrive after it are not taken in`() throws {
        try enclave.lock()
        try enclave.unlock(Self.passcode)
        let enclave = enclave
        enclave.nextTime { try? enclave.lock() }
        try keys.refresh()
        #expect(!hasKeys(.whenUnlocked))
        try keys.refresh()
        #expect(!hasKeys(.whenUnlocked))
        #expect(keys.state.lock == .locked)
    }

    @Test func `an enclave that cannot be asked after a lock leaves the keys dropped`() throws {
        enclave.goAway()
        try enclave.lock()
        #expect(throws: KeychainError.self) { try keys.refresh() }
        #expect(!hasKeys(.whenUnlocked))
        #expect(hasKeys(.afterFirstUnlock))
    }
}
