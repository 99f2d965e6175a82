import EnclaveInterface
import Foundation
import GRDB
import KeychainCircles
import KeychainModel
import KeychainPolicy
import KeychainSync
import KeychainTestSupport
import LocalEnclave
import Logging
import SyncTransport
import Testing

@testable import KeychainEngine

/// A keychain in a folder of its own, as one of the devices of a circle that another folder carries.
final class SharedKeychain {
    static let passcode = SecretBytes(Array("passcode".utf8))
    static let group = "test.shared"

    let path: String
    private(set) var engine: KeychainEngine
    var circle: KeychainCircle { engine.circle }
    var transport: FolderTransport
    let log = LogRecorder()

    init(at site: CircleFolder) throws {
        path = TestKeychain.folderInMemory + "/chatelaine-shared-\(UUID().uuidString)"
        transport = site.transport
        engine = try Self.open(path)
        try owner.changePasscode(from: nil, to: Self.passcode)
    }

    /// Another keychain with the same files, as a copied machine has it. The other one is closed.
    init(copyOf other: SharedKeychain, at site: CircleFolder) throws {
        path = other.path + "-copy"
        transport = site.transport
        try FileManager.default.copyItem(atPath: other.path, toPath: path)
        engine = try Self.open(path)
        try owner.unlock(Self.passcode)
    }

    deinit {
        engine.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func open(_ path: String) throws -> KeychainEngine {
        try KeychainDirectory(path: path, cost: .uncheckedLeast).open(
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// As after a kill and a new start of the process. What is unlocked stays, as the system keeps it.
    func reopen() throws {
        engine.close()
        engine = try Self.open(path)
    }

    /// The names of the files that have some bytes.
    func files(with bytes: [UInt8]) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { name in
            FileManager.default.contents(atPath: path + "/" + name)?.firstRange(of: bytes) != nil
        }
    }

    /// The places of what is wrong with its files.
    func problems() throws -> [String] {
        engine.close()
        let report = try KeychainDirectory(path: path, cost: .uncheckedLeast).verify()
        try reopen()
        return report.problems.map(\.place)
    }

    // MARK: - Its owner

    var owner: any EnclaveControl {
        get throws { try engine.ownerControl() }
    }

    func token() throws -> AuthorizationToken {
        try owner.authorize(.synchronize, passcode: Self.passcode)
    }

    func lock() throws { try owner.lock() }
    func unlock() throws { try owner.unlock(Self.passcode) }

    func found() throws {
        try owner.allow(.found, with: try token())
        _ = try circle.found()
        try synchronize()
    }

    /// Adds another device, whose owner types the digits of each at the other.
    func approve(_ other: SharedKeychain) throws {
        let request = try other.circle.requestToJoin()
        let answer = try circle.answer(request)
        try circle.take(try other.circle.take(answer))
        let shown = try owner.type(digits: try other.digits(), with: try token())
        _ = try other.owner.type(digits: SecretBytes(Array(shown.digits.utf8)), with: try other.token())
        let founding = try #require(try circle.replica()?.circle.entries.first)
        let consent = try other.circle.join(answer, founding: founding)
        try circle.add(request.card, consent)
        try synchronize()
        try other.synchronize()
        try other.synchronize()
        #expect(try other.circle.replica()?.phase == .member)
    }

    private func digits() throws -> SecretBytes { SecretBytes(Array(try owner.ceremony().digits.utf8)) }

    var id: DeviceID {
        get throws { try #require(try circle.replica()).device }
    }

    func remove(_ other: SharedKeychain) throws {
        let id = try other.id
        try owner.allow(.remove(id.bytes), with: try token())
        try circle.remove(id)
        try synchronize()
    }

    // MARK: - Its programs

    private var keychain: some KeychainService {
        engine.keychain(of: Caller(name: "test", groups: AccessGroups([Self.group])))
    }

    @discardableResult
    func add(
        _ account: String,
        _ value: String = "value",
        isSynchronizable: Bool = true,
        _ adjust: (inout AddRequest) -> Void = { _ in }
    ) throws(KeychainError) -> PersistentReference {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        request.attributes["svce"] = .string("service")
        request.secrets[.valueData] = SecretBytes(Array(value.utf8))
        request.isSynchronizable = isSynchronizable
        request.returns = .persistentReference
        adjust(&request)
        guard let item = try keychain.add(request) else { throw KeychainError(.internalError, "nothing was returned") }
        return item.reference
    }

    func update(
        _ account: String,
        _ value: String? = nil,
        _ adjust: (inout ItemChanges) -> Void = { _ in }
    ) throws(KeychainError) {
        var request = UpdateRequest(query: query(account))
        if let value { request.changes.secrets[.valueData] = SecretBytes(Array(value.utf8)) }
        adjust(&request.changes)
        _ = try keychain.update(request)
    }

    func delete(_ account: String) throws(KeychainError) {
        _ = try keychain.delete(DeleteRequest(query: query(account)))
    }

    private func query(_ account: String? = nil) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.synchronizable = .any
        if let account { query.filters["acct"] = .string(account) }
        return query
    }

    func found(_ returns: ReturnSelection = [.data, .attributes]) throws(KeychainError) -> [FoundItem] {
        var request = FindRequest(query: query())
        request.limit = .all
        request.returns = returns
        return try keychain.find(request)
    }

    /// `account=value` of all items, sorted.
    var items: [String] {
        get throws(KeychainError) { try found().map { "\($0.account)=\($0.value)" }.sorted() }
    }

    // MARK: - Its service

    @discardableResult
    func synchronize() throws(KeychainError) -> SyncReport { try circle.synchronize(over: transport) }

    /// Rounds until nothing comes or goes.
    func settle() throws(KeychainError) {
        for _ in 0..<6 where try !synchronize().isEmpty {}
    }

    /// What an attacker, or a damaged disk, does to the database.
    func sql(_ statements: String, reopening: Bool = true) throws {
        engine.close()
        let queue = try DatabaseQueue(path: path + "/keychain.db")
        try queue.write { try $0.execute(sql: statements) }
        try queue.close()
        if reopening { try reopen() }
    }
}

/// A folder that carries a circle.
final class CircleFolder {
    let path: String

    init() throws {
        path = TestKeychain.folderInMemory + "/chatelaine-circle-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var transport: FolderTransport { FolderTransport(path: path) }

    /// Every file in it, by its name.
    var files: [String: Data] {
        var files: [String: Data] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
            files[name] = FileManager.default.contents(atPath: path + "/" + name)
        }
        return files
    }
}

/// Devices whose owner has brought them into one circle.
func devices(_ count: Int, at site: CircleFolder) throws -> [SharedKeychain] {
    let devices = try (0..<count).map { _ in try SharedKeychain(at: site) }
    try devices[0].found()
    for device in devices.dropFirst() { try devices[0].approve(device) }
    try settle(devices)
    return devices
}

/// Rounds of all until none of them has anything new.
func settle(_ devices: [SharedKeychain]) throws(KeychainError) {
    for _ in 0..<8 {
        var isQuiet = true
        for device in devices where try !device.synchronize().isEmpty { isQuiet = false }
        if isQuiet { return }
    }
}

/// Fails at one of its calls, as if the process had been killed there.
final class FailingTransport: SyncTransport, @unchecked Sendable {
    let inner: any SyncTransport
    enum Counted { case all, writes }
    private var left: Int
    private let counted: Counted
    private let hidden: BlobName.Kind?

    /// - Parameter hidden: a kind of blobs of which none is listed, as if there were very many before them.
    init(
        _ inner: any SyncTransport,
        after calls: Int,
        counts counted: Counted = .all,
        hiding hidden: BlobName.Kind? = nil
    ) {
        self.inner = inner
        left = calls
        self.counted = counted
        self.hidden = hidden
    }

    private func step(_ kind: Counted = .all) throws(SyncTransportFailure) {
        guard counted == .all || kind == .writes else { return }
        left -= 1
        if left < 0 { throw SyncTransportFailure(.full, "the test has stopped it") }
    }

    func circles() throws(SyncTransportFailure) -> [CircleID] { try inner.circles() }

    func list(_ kind: BlobName.Kind, in circle: CircleID) throws(SyncTransportFailure) -> [BlobName] {
        try step()
        return kind == hidden ? [] : try inner.list(kind, in: circle)
    }

    func read(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) -> [UInt8]? {
        try step()
        return try inner.read(name, in: circle)
    }

    func write(_ bytes: [UInt8], as name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        try step(.writes)
        try inner.write(bytes, as: name, in: circle)
    }

    func remove(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        try step()
        try inner.remove(name, in: circle)
    }
}

/// A transport that tells of each list and each write before it is done.
final class WatchedTransport: SyncTransport, @unchecked Sendable {
    enum Step { case list, write }

    private let inner: any SyncTransport
    private let tell: (Step) -> Void

    init(_ inner: any SyncTransport, tell: @escaping (Step) -> Void) {
        self.inner = inner
        self.tell = tell
    }

    func circles() throws(SyncTransportFailure) -> [CircleID] { try inner.circles() }

    func list(_ kind: BlobName.Kind, in circle: CircleID) throws(SyncTransportFailure) -> [BlobName] {
        tell(.list)
        return try inner.list(kind, in: circle)
    }

    func read(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) -> [UInt8]? {
        try inner.read(name, in: circle)
    }

    func write(_ bytes: [UInt8], as name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        tell(.write)
        try inner.write(bytes, as: name, in: circle)
    }

    func remove(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        try inner.remove(name, in: circle)
    }
}

/// A transport that notes what is written at once.
final class NotingTransport: SyncTransport, @unchecked Sendable {
    private let inner: any SyncTransport
    private(set) var written: [[BlobName]] = []

    init(_ inner: any SyncTransport) {
        self.inner = inner
    }

    func circles() throws(SyncTransportFailure) -> [CircleID] { try inner.circles() }

    func list(_ kind: BlobName.Kind, in circle: CircleID) throws(SyncTransportFailure) -> [BlobName] {
        try inner.list(kind, in: circle)
    }

    func read(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) -> [UInt8]? {
        try inner.read(name, in: circle)
    }

    func write(_ bytes: [UInt8], as name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        written.append([name])
        try inner.write(bytes, as: name, in: circle)
    }

    func write(_ blobs: [SyncBlob], in circle: CircleID) throws(SyncTransportFailure) {
        written.append(blobs.map(\.name))
        try inner.write(blobs, in: circle)
    }

    func remove(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        try inner.remove(name, in: circle)
    }
}
