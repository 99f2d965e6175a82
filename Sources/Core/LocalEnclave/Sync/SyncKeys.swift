import Crypto
import EnclaveDesk
import EnclaveInterface
import KeychainModel
import KeychainSync
import Synchronization

/// What the enclave does for a device that belongs to a circle.
///
/// It believes the keychain service nothing about who belongs to the circle: it reads what members have signed, and what
/// changes that needs the owner. A service that was taken over can keep entries back, and so a removal; it cannot invent a
/// member.
final class SyncKeys: Sendable {
    let store: SyncKeyStore
    let grants = Mutex(SyncGrants())

    init(_ keyRing: KeyRing) {
        store = SyncKeyStore(keyRing)
    }

    /// - Throws: `itemNotFound` where this device has no keys.
    func file() throws(KeychainError) -> SyncKeyFile {
        guard let file = try store.present() else { throw Self.none }
        return file
    }

    static let none = KeychainError(.itemNotFound, "this device belongs to no circle")
    static let malformed = KeychainError(.invalidParameter, "what came is no message of a circle")
    static func notAllowed(_ reason: String) -> KeychainError { KeychainError(.noPermission, reason) }

    /// The card of this device. Its keys are made where there are none.
    func card() throws(KeychainError) -> DeviceCard { try existingOrNew { _ in true }.card }

    /// The keys that the condition holds for, or new ones.
    func existingOrNew(_ isKept: (SyncKeyFile) -> Bool) throws(KeychainError) -> SyncKeyFile {
        if let file = try store.present(), isKept(file) { return file }
        let made = try store.makeKeys()
        return try store.edit { (file) throws(KeychainError) in
            if let present = file, isKept(present) { return present }
            var new = made
            // Failed ceremonies count for all of a keychain's life.
            new.limit = file?.limit ?? new.limit
            file = new
            return new
        }
    }

    // MARK: - Who belongs to the circle

    /// Takes note of an entry that the circle has taken in. What does not count is left alone.
    func note(_ entry: Entry) throws(KeychainError) {
        guard let before = try store.present(), let circle = before.circle else { return }
        guard Self.changes(before, entry, of: circle) else { return }
        try store.edit { (file) throws(KeychainError) in
            guard file?.circle == circle, var next = file, Self.changes(next, entry, of: circle) else { return }
            switch entry.body {
            case .found(let founding): try next.add(founding.card)
            case .add(let addition): try next.add(addition.card)
            case .remove(let removal): next.remove(removal.device)
            case .end, .epoch, .floor, .merge: break
            }
            file = next
        }
    }

    /// Whether an entry says something new of the members, and may.
    private static func changes(_ file: SyncKeyFile, _ entry: Entry, of circle: CircleID) -> Bool {
        func isSigned(by author: SyncKeyFile.Known) -> Bool {
            // The statement is what the signature is of, whatever else is in the message.
            DeviceCard.verifies(entry.signature, of: entry.unsigned, by: author.signingKey)
        }
        switch entry.body {
        case .found(let founding):
            // The circle's name is the hash of this entry.
            return entry.hash == circle && file.known(founding.card.id) == nil
        case .add(let addition):
            guard entry.circle == circle, file.known(addition.card.id) == nil,
                let author = file.known(entry.author), !author.isRemoved, isSigned(by: author)
            else { return false }
            return addition.isMeant(by: entry.consent ?? [], for: circle)
        case .remove(let removal):
            // A removal counts also by somebody who is removed at the same time.
            guard entry.circle == circle, file.isMember(removal.device), let author = file.known(entry.author) else {
                return false
            }
            return isSigned(by: author)
        case .end, .epoch, .floor, .merge: return false
        }
    }

    // MARK: - Signatures

    func sign(_ statement: SyncStatement) throws(KeychainError) -> [UInt8] {
        switch statement.kind {
        case .entry: try sign(entry: statement)
        case .head: try sign(head: statement)
        // Consent is the owner's, who types digits.
        case .consent: throw Self.notAllowed("the owner consents to a circle, and not the keychain service")
        }
    }

    private func sign(head statement: SyncStatement) throws(KeychainError) -> [UInt8] {
        let file = try file()
        guard let head = try? Head(statement: statement.bytes) else { throw Self.malformed }
        guard head.contents.circle == file.circle, head.contents.device == file.card.id, file.isMember(file.card.id)
        else { throw Self.notAllowed("the head is not this device's in its circle") }
        return try store.sign(statement, with: file)
    }

    private func sign(entry statement: SyncStatement) throws(KeychainError) -> [UInt8] {
        guard let entry = try? Entry(statement: statement.bytes) else { throw Self.malformed }
        let now = StartClock.current.now
        let file = try store.edit { (file) throws(KeychainError) in
            guard var next = file else { throw Self.none }
            guard entry.author == next.card.id else { throw Self.notAllowed("the entry is another device's") }
            if case .found(let founding) = entry.body {
                try found(entry, founding, &next, now)
            } else {
                guard entry.circle == next.circle, next.isMember(next.card.id) else {
                    throw Self.notAllowed("this device does not belong to the circle of the entry")
                }
                try change(entry.body, &next, now)
            }
            file = next
            return next
        }
        return try store.sign(statement, with: file)
    }

    private func found(
        _ entry: Entry,
        _ founding: Founding,
        _ file: inout SyncKeyFile,
        _ now: UInt64
    ) throws(KeychainError) {
        // Once more is the same: the answer may have been lost.
        if file.circle == entry.hash { return }
        guard file.circle == nil, founding.card == file.card, grants.withLock({ $0.use(.found, at: now) }) else {
            throw Self.notAllowed("the owner has not allowed this device to found a circle")
        }
        file.circle = entry.hash
        try file.add(file.card)
    }

    /// What an entry changes here, if this device may sign it.
    private func change(_ body: EntryBody, _ file: inout SyncKeyFile, _ now: UInt64) throws(KeychainError) {
        switch body {
        case .found: throw Self.malformed
        case .add(let addition):
            let id = addition.card.id
            // A member gains nothing by being added once more.
            if file.isMember(id) { return }
            guard file.known(id) == nil, grants.withLock({ $0.use(.add(id), at: now) }) else {
                throw Self.notAllowed("the owner has not allowed to add that device")
            }
            try file.add(addition.card)
        case .remove(let removal):
            let id = removal.device
            if let known = file.known(id), known.isRemoved { return }
            guard grants.withLock({ $0.use(.remove(id), at: now) }) else {
                throw Self.notAllowed("the owner has not allowed to remove that device")
            }
            file.remove(id)
        case .epoch(let epoch):
            // The secret of an epoch that came from elsewhere may be anybody's.
            guard let known = file.epoch(epoch.id), known.isOwn else {
                throw Self.notAllowed("this device has not begun that epoch")
            }
            let recipients = epoch.secrets.wraps.map(\.recipient)
            guard recipients.allSatisfy(file.isMember) else {
                throw Self.notAllowed("the epoch is for somebody who is no member")
            }
            file.sign(epoch.id)
        case .floor(let number):
            guard number <= Replica.newestFormat else { throw Self.notAllowed("there is no such format") }
        case .end, .merge: break
        }
    }

    // MARK: - Epochs

    func beginEpoch(for cards: [DeviceCard], earlier: [EpochID]) throws(KeychainError) -> EpochSecrets {
        let file = try file()
        guard let circle = file.circle, cards.contains(file.card), cards.map(\.id).allSatisfy(file.isMember) else {
            throw Self.notAllowed("an epoch is for the members of this device's circle")
        }
        var known: [EpochSecret] = []
        for id in Set(earlier).sorted() where file.epoch(id) != nil { known.append(try store.secret(of: id, in: file)) }
        let secret = EpochSecret()
        let sealed = try store.sealed(secret, isOwn: true)
        let secrets = try translating { () throws(SyncRefusal) in
            try secret.secrets(for: cards, earlier: known, in: circle)
        }
        try store.edit { (file) throws(KeychainError) in
            // Somebody may have been removed meanwhile.
            guard file?.circle == circle, let next = file, cards.map(\.id).allSatisfy(next.isMember) else {
                throw Self.notAllowed("an epoch is for the members of this device's circle")
            }
            try file?.add(sealed)
        }
        return secrets
    }

    func wrap(_ epochs: [EpochID], for card: DeviceCard) throws(KeychainError) -> [EpochWrap] {
        let file = try file()
        let isAllowed = grants.withLock { $0.has(.add(card.id), at: StartClock.current.now) }
        guard let circle = file.circle, isAllowed || file.isMember(card.id) else {
            throw Self.notAllowed("the owner has not allowed to add that device")
        }
        guard !(file.known(card.id)?.isRemoved ?? false) else { throw Self.notAllowed("that device was removed") }
        var wraps: [EpochWrap] = []
        for id in epochs {
            let secret = try store.secret(of: id, in: file)
            wraps.append(try translating { () throws(SyncRefusal) in try secret.wrap(for: card, in: circle) })
        }
        return wraps
    }

    /// - Returns: those of the epochs whose secrets this device has.
    /// - Throws: `interactionNotAllowed` where there may be new ones, and the device is locked.
    func unwrap(_ secrets: EpochSecrets) throws(KeychainError) -> [EpochID] {
        let file = try file()
        guard let circle = file.circle else { throw Self.none }
        let named = Set(secrets.wraps.map(\.epoch) + secrets.earlier.map(\.epoch))
        let new = named.filter { file.epoch($0) == nil }
        let isForOthers =
            !secrets.wraps.contains { $0.recipient == file.card.id && new.contains($0.epoch) }
            && secrets.wraps.first.flatMap { file.epoch($0.epoch) } == nil
        guard !new.isEmpty, !isForOthers else { return named.subtracting(new).sorted() }
        let found = try opened(secrets, new, circle, file)
        let kept = try store.edit { (file) throws(KeychainError) in
            guard file?.circle == circle else { throw Self.none }
            // What there is no room for is not taken.
            for epoch in found { try? file?.add(epoch) }
            return file?.epochs.map(\.id) ?? []
        }
        return named.intersection(kept).sorted()
    }

    private func opened(
        _ secrets: EpochSecrets,
        _ new: Set<EpochID>,
        _ circle: CircleID,
        _ file: SyncKeyFile
    ) throws(KeychainError) -> [SyncKeyFile.Epoch] {
        let key = try store.sealingKey(of: file)
        var found: [EpochID: EpochSecret] = [:]
        for wrap in secrets.wraps where wrap.recipient == file.card.id && new.contains(wrap.epoch) {
            // What was made for others, or to deceive, is left alone.
            if let secret = try? EpochSecret(wrap, with: key, in: circle) { found[secret.id] = secret }
        }
        if let id = secrets.wraps.first?.epoch {
            var later = found[id]
            if later == nil, file.epoch(id) != nil { later = try store.secret(of: id, in: file) }
            for earlier in secrets.earlier where new.contains(earlier.epoch) {
                if let secret = try? later?.open(earlier) { found[secret.id] = secret }
            }
        }
        var sealed: [SyncKeyFile.Epoch] = []
        for secret in found.values { sealed.append(try store.sealed(secret)) }
        return sealed
    }

    func boxKey(for tier: SyncTier, in epoch: EpochID, data: SyncHash) throws(KeychainError) -> SymmetricKey {
        let file = try file()
        let key =
            switch tier {
            case .unlocked: try store.secret(of: epoch, in: file).key(of: tier)
            case .afterFirstUnlock: try store.lockedKeys(of: epoch, in: file).tier
            }
        return EpochSecret.boxKey(under: key, for: data)
    }

    func code(of digest: SyncHash, in epoch: EpochID) throws(KeychainError) -> SyncHash {
        EpochSecret.code(of: digest, under: try store.lockedKeys(of: epoch, in: try file()).digest)
    }

    private func translating<Value>(_ body: () throws(SyncRefusal) -> Value) throws(KeychainError) -> Value {
        do {
            return try body()
        } catch {
            throw KeychainError(.invalidParameter, "a card to which nothing can be sealed")
        }
    }

    // MARK: - What the owner allows

    func allow(_ change: SyncChange) throws(KeychainError) {
        let now = StartClock.current.now
        switch change {
        case .found:
            let file = try existingOrNew { $0.circle == nil || $0.isMember($0.card.id) }
            guard file.circle == nil else { throw Self.member }
            grants.withLock { $0.allow(.found, at: now) }
        case .remove(let device):
            guard let id = SyncHash(device), try file().known(id) != nil else {
                throw KeychainError(.itemNotFound, "no such device belongs to the circle")
            }
            grants.withLock { $0.allow(.remove(id), at: now) }
        case .addRecoveryKey(let bytes, let consent):
            guard let circle = try file().circle else { throw Self.none }
            guard let card = try? DeviceCard(bytes), card.kind == .recovery,
                Addition(card: card, wraps: []).isMeant(by: consent, for: circle)
            else { throw KeychainError(.invalidParameter, "that is no recovery key that consents to this circle") }
            grants.withLock { $0.allow(.add(card.id), at: now) }
        case .forget:
            try store.edit { (file) throws(KeychainError) in file = nil }
            grants.withLock { $0 = SyncGrants() }
        }
    }

    static let member = KeychainError(.duplicateItem, "this device belongs to a circle already; leave that first")
}
