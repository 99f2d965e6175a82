import KeychainModel
import KeychainPolicy
import KeychainStore
import Logging
import Testing

@testable import EnclaveDesk
@testable import EnclaveInterface
@testable import KeychainEngine
@testable import KeychainVault
@testable import LocalEnclave

/// Two engines over one database: one is unlocked, the other was not yet given the passcode.
@Suite("Identities of which a half is locked")
struct LockedIdentityTests {
    private let unlocked: KeychainEngine
    private let locked: KeychainEngine
    private let caller = Caller(name: "test", groups: AccessGroups(["group"]))

    init() throws {
        let log = Logger(label: "test")
        let deviceKey = DeviceKey()
        let storage = MemoryStorage(keybag: try Keybag(creatingUnder: deviceKey).file(under: deviceKey))
        func enclave() throws -> LocalEnclave {
            try LocalEnclave(storage, device: MemoryBinding(deviceKey), cost: .uncheckedLeast)
        }
        let setting = try enclave()
        let passcode = SecretBytes(Array("passcode".utf8))
        try LocalControl(setting, for: .owner).changePasscode(from: nil, to: passcode)
        _ = try setting.finishRotation(of: setting.state().generation)
        let store = try KeychainStore(inMemory: Header(sealedBy: KeychainVault(setting)), log: log)
        unlocked = KeychainEngine(vault: try KeychainVault(setting), store: store, log: log)
        locked = KeychainEngine(vault: try KeychainVault(enclave()), store: store, log: log)
    }

    private func add(certificate hash: [UInt8], _ accessibility: Accessibility = .always) throws {
        var request = AddRequest(itemClass: .certificate)
        request.attributes["slnr"] = .data(hash)
        request.attributes["pkhh"] = .data(hash)
        request.accessibility = accessibility
        _ = try unlocked.keychain(of: caller).add(request)
    }

    private func add(key hash: [UInt8], _ accessibility: Accessibility) throws {
        var request = AddRequest(itemClass: .key)
        request.attributes["klbl"] = .data(hash)
        request.attributes["priv"] = .integer(1)
        request.attributes["type"] = .integer(42)
        request.accessibility = accessibility
        _ = try unlocked.keychain(of: caller).add(request)
    }

    /// Finds identities in whichever way: all of them, by the certificate, and by the key.
    private static let filters: [AttributeKey?] = [nil, "slnr", "type"]

    private func find(_ filter: AttributeKey?, in engine: KeychainEngine) throws(KeychainError) -> Int {
        var query = ItemQuery(itemClass: .identity)
        if let filter { query.filters[filter] = filter == "type" ? .integer(42) : .data([1]) }
        var request = FindRequest(query: query)
        request.limit = .all
        return try engine.keychain(of: caller).find(request).count
    }

    private func failure<Value>(_ body: () throws(KeychainError) -> Value) -> KeychainError.Code? {
        do throws(KeychainError) {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: filters)
    func `an identity whose key is locked is not found but locked`(filter: AttributeKey?) throws {
        try add(certificate: [1])
        try add(key: [1], .whenUnlocked)
        #expect(try find(filter, in: unlocked) == 1)
        #expect(failure { () throws(KeychainError) in try find(filter, in: locked) } == .interactionNotAllowed)
    }

    @Test(arguments: filters)
    func `an identity whose certificate is locked is not found but locked`(filter: AttributeKey?) throws {
        try add(certificate: [1], .whenUnlocked)
        try add(key: [1], .always)
        #expect(try find(filter, in: unlocked) == 1)
        #expect(failure { () throws(KeychainError) in try find(filter, in: locked) } == .interactionNotAllowed)
    }

    @Test(arguments: filters)
    func `a locked key without a certificate keeps no identity from being found`(filter: AttributeKey?) throws {
        try add(key: [2], .whenUnlocked)
        try add(certificate: [1])
        try add(key: [1], .always)
        #expect(try find(filter, in: locked) == 1)
    }

    @Test func `a deletion of all identities succeeds while they are locked`() throws {
        try add(certificate: [1], .whenUnlocked)
        try add(key: [1], .whenUnlocked)
        #expect(try locked.keychain(of: caller).delete(DeleteRequest(query: ItemQuery(itemClass: .identity))) == 2)
        #expect(try find(nil, in: unlocked) == 0)
    }

    @Test func `a deletion of one identity has to open it`() throws {
        try add(certificate: [1])
        try add(key: [1], .whenUnlocked)
        let request = FindRequest(query: ItemQuery(itemClass: .identity))
        let identity = try #require(try unlocked.keychain(of: caller).find(request).first)
        var query = ItemQuery(itemClass: .identity)
        query.reference = identity.reference
        query.synchronizable = .any
        let deletion = DeleteRequest(query: query)
        #expect(
            failure { () throws(KeychainError) in try locked.keychain(of: caller).delete(deletion) }
                == .interactionNotAllowed
        )
        #expect(try find(nil, in: unlocked) == 1)
        #expect(try unlocked.keychain(of: caller).delete(deletion) == 1)
    }

    @Test func `an update of a locked identity changes neither half`() throws {
        try add(certificate: [1])
        try add(key: [1], .whenUnlocked)
        var request = UpdateRequest(query: ItemQuery(itemClass: .identity))
        request.changes.attributes["labl"] = .string("new")
        #expect(
            failure { () throws(KeychainError) in try locked.keychain(of: caller).update(request) }
                == .interactionNotAllowed
        )
        var query = ItemQuery(itemClass: .certificate)
        query.filters["labl"] = .string("new")
        #expect(try unlocked.keychain(of: caller).find(FindRequest(query: query)).isEmpty)
    }
}
