package import EnclaveInterface
import Foundation
package import KeychainDeviceKeys
package import KeychainModel
package import KeychainSync
package import LocalEnclave

/// A device with an enclave of its own, whose owner has a passcode, and what the service keeps beside that.
package final class CircleDevice {
    package static let passcode = SecretBytes(Array("passcode".utf8))

    package let enclave: any Enclave
    package let owner: any EnclaveControl
    package private(set) var keys: EnclaveDeviceKeys
    package var replica: Replica?
    package var items: [ItemName: SecretBytes] = [:]
    package let site: CircleSite

    package init(_ enclave: any Enclave, owner: any EnclaveControl, at site: CircleSite) throws {
        self.enclave = enclave
        self.owner = owner
        self.site = site
        keys = try EnclaveDeviceKeys(in: enclave)
    }

    /// With an enclave in memory.
    package convenience init(at site: CircleSite) throws {
        let deviceKey = DeviceKey()
        let enclave = try LocalEnclave(Keybag(creatingUnder: deviceKey), under: deviceKey, cost: .uncheckedLeast)
        let owner = enclave.control(isRoot: false)
        try owner.changePasscode(from: nil, to: Self.passcode)
        try self.init(enclave, owner: owner, at: site)
    }

    package var id: DeviceID { keys.card.id }

    package func token(for operation: GuardedOperation = .synchronize) throws -> AuthorizationToken {
        try owner.authorize(operation, passcode: Self.passcode)
    }

    /// For a keychain that has no passcode.
    package func tokenWithoutPasscode() throws -> AuthorizationToken {
        try owner.authorize(.synchronize, passcode: nil)
    }

    package func lock() throws { try owner.lock() }
    package func unlock() throws { try owner.unlock(Self.passcode) }

    // MARK: - What its owner does

    package func found() throws {
        let hasPasscode = try owner.state().hasPasscode
        try owner.allow(.found, with: hasPasscode ? try token() : try tokenWithoutPasscode())
        keys = try EnclaveDeviceKeys(in: enclave)
        let nameKey = SecretBytes([UInt8](repeating: 9, count: 32))
        let founded = try Replica.founding(keys.card, salt: .random(), nameKey: nameKey, keys: keys)
        replica = founded.replica
        site.post(founded.entries)
        try synchronize()
    }

    /// Types a device's digits at another one, in both directions.
    package func approve(_ newcomer: CircleDevice) throws {
        let request = try JoinRequest(try newcomer.enclave.answer(SyncCeremonyRequest(.begin)))
        newcomer.keys = try EnclaveDeviceKeys(in: newcomer.enclave)
        let answer = try self.answer(to: request)
        let reveal = try newcomer.enclave.answer(SyncCeremonyRequest(.answer, answer.encoded))
        _ = try enclave.answer(SyncCeremonyRequest(.reveal, reveal))
        let shownBack = try type(try newcomer.owner.ceremony().digits)
        _ = try newcomer.type(shownBack.digits)
        let consent = try JoinConsent(try newcomer.enclave.answer(SyncCeremonyRequest(.fetchConsent)))
        _ = try enclave.answer(SyncCeremonyRequest(.consent, consent.encoded))
        var mine = try self.mine()
        site.post(try mine.add(request.card, consent: consent.signature, keys: keys))
        replica = mine
        let circle = try Circle(founding: mine.circle.entries[0])
        newcomer.replica = Replica(of: request.card.id, in: circle, required: answer.heads)
    }

    private func mine() throws -> Replica {
        guard let replica else { throw KeychainError(.itemNotFound, "the device belongs to no circle yet") }
        return replica
    }

    package func answer(to request: JoinRequest) throws -> JoinAnswer {
        let draft = JoinAnswer(to: request, of: try self.mine(), card: keys.card)
        var message = SyncWriter()
        message.append(field: request.encoded)
        message.append(field: draft.encoded)
        return try JoinAnswer(try enclave.answer(SyncCeremonyRequest(.request, message.bytes)))
    }

    package func type(_ digits: String) throws -> SyncCeremonyState {
        try owner.type(digits: SecretBytes(Array(digits.utf8)), with: try token())
    }

    package func remove(_ other: DeviceID) throws {
        try owner.allow(.remove(other.bytes), with: try token())
        var mine = try self.mine()
        site.post(try mine.remove(other, keys: keys))
        replica = mine
        try synchronize()
    }

    // MARK: - What its service does

    package func synchronize() throws {
        var mine = try self.mine()
        _ = try mine.insert(Array(site.entries.values), keys: keys)
        let plan = try mine.plan(clock: CircleSite.clock, heads: Array(site.heads.values), keys: keys) {
            site.segments[$0]
        }
        let outcome = mine.execute(plan, clock: CircleSite.clock)
        for (name, change) in outcome.changed { items[name] = change.record.item }
        for name in outcome.gone { items[name] = nil }
        site.post(try mine.keepUp(clock: CircleSite.clock, keys: keys))
        site.post(try mine.adopt(salt: .random(), keys: keys) { items[$0] }.segments)
        site.post(try mine.sign(clock: CircleSite.clock, keys: keys))
        replica = mine
    }

    package func write(_ text: String, as name: ItemName, tier: SyncTier = .unlocked) throws {
        var mine = try self.mine()
        let item = SecretBytes(Array(text.utf8))
        let change = LocalChange(name: name, tier: tier, item: item, modified: CircleSite.clock)
        site.post(try mine.write([change], keys: keys).segments)
        items[name] = item
        replica = mine
        try synchronize()
    }

    package func text(_ name: ItemName) -> String? {
        items[name].map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    /// A new epoch of this device's circle, as its service would begin it.
    package func beginEpoch(for cards: [DeviceCard], earlier: Set<EpochID> = []) throws -> EpochSecrets {
        try keys.beginEpoch(for: cards, earlier: earlier, in: try self.mine().circle.id)
    }

    /// The signature of an entry of this device's, as a service that was taken over would ask for it.
    package func signed(_ body: EntryBody, consent: [UInt8]? = nil) throws -> Entry {
        let mine = try self.mine()
        return try Entry(
            circle: mine.circle.id,
            parents: mine.circle.frontier,
            author: id,
            body: body,
            consent: consent
        ) { (statement) throws(KeychainError) in try keys.sign(statement) }
    }
}

/// An enclave in a folder of a test's own, with a scrypt that costs nothing.
package final class EnclaveOnDisk {
    package let path = FileManager.default.temporaryDirectory.path + "/chatelaine-device-\(UUID().uuidString)"
    private let folder: LocalEnclaveFolder

    /// - Parameter isShared: whether several processes have it open.
    package init(isShared: Bool = false) throws {
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        folder = LocalEnclaveFolder(path: path, sharing: isShared ? .embedded : .none, cost: .uncheckedLeast)
        try folder.create()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// As after a start of the process.
    package func open() throws -> LocalEnclave { try folder.openLocal() }

    /// Keeps anybody from writing the keys anew, also root.
    package func freeze() throws {
        try FileManager.default.createDirectory(atPath: path + "/sync.keys.new", withIntermediateDirectories: false)
    }

    package func thaw() throws { try FileManager.default.removeItem(atPath: path + "/sync.keys.new") }
}

/// What devices have written for each other.
package final class CircleSite {
    package static let clock: UInt64 = 1_800_000_000_000
    package private(set) var entries: [EntryHash: Entry] = [:]
    package private(set) var heads: [JournalID: Head] = [:]
    package private(set) var segments: [JournalPoint: [UInt8]] = [:]

    package init() {}

    package func post(_ more: [Entry]) { for entry in more { entries[entry.hash] = entry } }
    package func post(_ more: [Segment]) { for segment in more { segments[segment.point] = segment.encoded } }
    package func post(_ head: Head?) { if let head { heads[head.contents.journal] = head } }
}

extension SyncName {
    package static func random() -> SyncName {
        var random = SystemRandomNumberGenerator()
        return SyncName(using: &random)
    }
}

/// Somebody with keys of their own and no enclave: an attacker.
package struct Stranger {
    package let card: DeviceCard
    private let recovery: RecoveryKey

    package init(kind: DeviceCard.Kind = .device) throws {
        var random = SystemRandomNumberGenerator()
        let secret = (0..<RecoveryKey.size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        recovery = try RecoveryKey(SecretBytes(secret))
        card = try DeviceCard(
            kind: kind,
            signingKey: recovery.card.signingKey,
            sealingKey: recovery.card.sealingKey
        )
    }

    package func sign(_ statement: SyncStatement) throws -> [UInt8] {
        Array(try recovery.signing.signature(for: statement.digest.bytes).rawRepresentation)
    }

    package func consent(to circle: CircleID) throws -> [UInt8] { try sign(Addition.consent(of: card, to: circle)) }

    package func entry(_ body: EntryBody, in circle: CircleID, after parents: [EntryHash], consent: [UInt8]? = nil)
        throws -> Entry
    {
        try Entry(circle: circle, parents: parents, author: card.id, body: body, consent: consent, sign: sign)
    }

    /// The secrets of epochs that somebody has wrapped for it.
    package func opens(_ secrets: EpochSecrets, in circle: CircleID) -> Int {
        secrets.wraps.count { (try? EpochSecret($0, with: recovery.sealing, in: circle)) != nil }
    }
}

package func failure<Value>(_ body: () throws -> Value) -> KeychainError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? KeychainError)?.code
    }
}
