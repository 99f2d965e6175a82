import Crypto
import KeychainModel
import KeychainSync
import Testing

/// Who belongs to a circle, whatever former members and the transport send.
@Suite("Membership of a circle")
struct CircleTests {
    private let alice: SyncDevice
    private let bob: SyncDevice
    private let carol: SyncDevice
    private let mallory: SyncDevice
    private let founding: Entry
    private var circle: Circle

    init() throws {
        alice = try SyncDevice()
        bob = try SyncDevice()
        carol = try SyncDevice()
        mallory = try SyncDevice()
        let nameKey = SecretBytes([UInt8](repeating: 1, count: 32))
        founding = try alice.entry(
            .found(Founding(card: alice.card, nameKey: Founding.commitment(to: nameKey))),
            in: .zero,
            after: []
        )
        circle = try Circle(founding: founding)
    }

    /// Takes entries in, in an order, and says who is a member then.
    private func members(_ entries: [Entry]) throws -> Set<DeviceID> {
        var circle = circle
        for entry in entries { _ = try circle.insert(entry) }
        return Set(circle.state.members.keys)
    }

    @Test func `a device that a member adds is a member, and a removed one never is again`() throws {
        let add = try alice.adding(bob, to: circle.id, after: [founding.hash])
        let remove = try alice.removing(bob, from: circle.id, after: [add.hash])
        #expect(try members([add]) == [alice.id, bob.id])
        #expect(try members([add, remove]) == [alice.id])
        let again = try alice.adding(bob, to: circle.id, after: [remove.hash])
        #expect(throws: SyncRefusal.outOfRange) { try members([add, remove, again]) }
    }

    @Test func `an entry whose parents are not there waits for them, and the order of arrival does not matter`() throws
    {
        var late = circle
        let add = try alice.adding(bob, to: circle.id, after: [founding.hash])
        let next = try bob.adding(carol, to: circle.id, after: [add.hash])
        #expect(try late.insert(next) == .waits(for: [add.hash]))
        #expect(try late.insert(add) == .added)
        #expect(try late.insert(next) == .added)
        #expect(try late.insert(next) == .known)
        #expect(Set(late.state.members.keys) == [alice.id, bob.id, carol.id])
    }

    @Test func `a removed device that adds another one with an earlier date gains no member`() throws {
        let add = try alice.adding(mallory, to: circle.id, after: [founding.hash])
        let remove = try alice.removing(mallory, from: circle.id, after: [add.hash])
        let accomplice = try mallory.adding(carol, to: circle.id, after: [add.hash])
        #expect(try members([add, remove, accomplice]) == [alice.id])
        #expect(try members([add, accomplice, remove]) == [alice.id])
    }

    @Test func `nobody counts whom somebody added who does not count`() throws {
        let add = try alice.adding(mallory, to: circle.id, after: [founding.hash])
        let remove = try alice.removing(mallory, from: circle.id, after: [add.hash])
        let accomplice = try mallory.adding(carol, to: circle.id, after: [add.hash])
        let next = try carol.adding(bob, to: circle.id, after: [accomplice.hash])
        #expect(try members([add, remove, accomplice, next]) == [alice.id])
    }

    @Test func `an addition that the remover knew stays, and one that a second remover did not know goes`() throws {
        let add = try alice.adding(mallory, to: circle.id, after: [founding.hash])
        let next = try mallory.adding(carol, to: circle.id, after: [add.hash])
        let knowing = try alice.removing(mallory, from: circle.id, after: [next.hash])
        #expect(try members([add, next, knowing]) == [alice.id, carol.id])
        let other = try alice.adding(bob, to: circle.id, after: [add.hash])
        let unknowing = try bob.removing(mallory, from: circle.id, after: [other.hash])
        #expect(try members([add, next, knowing, other, unknowing]) == [alice.id, bob.id])
    }

    @Test func `an author who was no member by all that it knew is refused, with all that is built on it`() throws {
        let stranger = try mallory.adding(carol, to: circle.id, after: [founding.hash])
        #expect(throws: SyncRefusal.notMember) { try members([stranger]) }
        // What has such a parent waits for it, and never comes in.
        var circle = circle
        let built = try alice.adding(bob, to: circle.id, after: [stranger.hash])
        #expect(try circle.insert(built) == .waits(for: [stranger.hash]))
        #expect(Set(circle.state.members.keys) == [alice.id])
    }

    @Test func `an entry of another circle is refused, and so is one that says it founds this one`() throws {
        let other = try bob.entry(
            .found(Founding(card: bob.card, nameKey: .zero)),
            in: .zero,
            after: []
        )
        let replayed = try alice.adding(carol, to: other.hash, after: [other.hash])
        #expect(throws: SyncRefusal.otherCircle) { try members([replayed]) }
        #expect(throws: SyncRefusal.otherCircle) { try members([other]) }
    }

    @Test func `a card without its device's consent to this circle is refused`() throws {
        let addition = Addition(card: bob.card, wraps: [])
        let elsewhere = try bob.sign(Addition.consentDigest(of: bob.card, to: SyncHash(of: [1])))
        for consent in [elsewhere, [UInt8](repeating: 0, count: 64)] {
            let entry = try alice.entry(.add(addition), in: circle.id, after: [founding.hash], consent: consent)
            #expect(throws: SyncRefusal.badSignature) { try members([entry]) }
        }
    }

    @Test func `an entry that somebody else has signed is refused`() throws {
        let add = try alice.adding(bob, to: circle.id, after: [founding.hash])
        let forged = try Entry(
            circle: circle.id,
            parents: [add.hash],
            author: alice.id,
            body: .remove(Removal(of: bob.id, ends: [])),
            sign: bob.sign
        )
        #expect(throws: SyncRefusal.badSignature) { try members([add, forged]) }
    }

    @Test func `a parent that another parent knows is refused: an entry has one encoding`() throws {
        let add = try alice.adding(bob, to: circle.id, after: [founding.hash])
        let entry = try alice.removing(bob, from: circle.id, after: [founding.hash, add.hash])
        #expect(throws: SyncRefusal.notCanonical) { try members([add, entry]) }
    }

    @Test func `two who remove each other with earlier dates are both removed, and their removals change nothing else`()
        throws
    {
        let first = try alice.adding(bob, to: circle.id, after: [founding.hash])
        let second = try alice.adding(carol, to: circle.id, after: [first.hash])
        let one = try bob.removing(carol, from: circle.id, after: [second.hash])
        let other = try carol.removing(bob, from: circle.id, after: [second.hash])
        #expect(try members([first, second, one, other]) == [alice.id])
        #expect(try members([first, second, other, one]) == [alice.id])
    }

    @Test func `a circle has 32 members at most`() throws {
        var circle = circle
        for _ in 1..<32 {
            let device = try SyncDevice()
            _ = try circle.insert(try alice.adding(device, to: circle.id, after: circle.frontier))
        }
        #expect(circle.state.members.count == 32)
        let entry = try alice.adding(try SyncDevice(), to: circle.id, after: circle.frontier)
        #expect(throws: SyncRefusal.tooLarge) { try circle.insert(entry) }
    }

    // MARK: - Ends

    @Test func `a journal of a removed device that no removal names does not count, whatever the device says of it`()
        throws
    {
        let journal = try #require(SyncName([UInt8](repeating: 1, count: 16)))
        let point = JournalPoint(journal: journal, number: 5, hash: SyncHash(of: [5]))
        let add = try alice.adding(mallory, to: circle.id, after: [founding.hash])
        let remove = try alice.removing(mallory, from: circle.id, after: [add.hash])
        let end = try mallory.entry(.end(Ending(of: mallory.id, at: point)), in: circle.id, after: [add.hash])
        var circle = circle
        for entry in [add, end] { _ = try circle.insert(entry) }
        #expect(circle.state.end(of: journal, by: mallory.id) == point)
        _ = try circle.insert(remove)
        #expect(circle.state.end(of: journal, by: mallory.id) == .zero(of: journal))
    }

    @Test func `of several ends of a journal the shortest counts`() throws {
        let journal = try #require(SyncName([UInt8](repeating: 1, count: 16)))
        var circle = circle
        for number in [7, 3, 5] as [UInt64] {
            let point = JournalPoint(journal: journal, number: number, hash: SyncHash(of: [UInt8(number)]))
            _ = try circle.insert(
                alice.entry(.end(Ending(of: bob.id, at: point)), in: circle.id, after: circle.frontier)
            )
        }
        #expect(circle.state.end(of: journal, by: bob.id)?.number == 3)
        #expect(circle.state.endings.count == 1)
    }

    @Test func `ends of one journal that name different devices give the same in any order`() throws {
        let journal = try #require(SyncName([UInt8](repeating: 1, count: 16)))
        let point = JournalPoint(journal: journal, number: 3, hash: SyncHash(of: [3]))
        let entries = try [bob, carol].map {
            try alice.entry(.end(Ending(of: $0.id, at: point)), in: circle.id, after: [founding.hash])
        }
        var (one, other) = (circle, circle)
        for entry in entries { _ = try one.insert(entry) }
        for entry in entries.reversed() { _ = try other.insert(entry) }
        #expect(one.state.endings == other.state.endings)
        // Removals that name it, too.
        let adding = try alice.adding(bob, to: circle.id, after: [founding.hash])
        let more = try alice.adding(carol, to: circle.id, after: [adding.hash])
        let removals = try [bob, carol].map {
            try alice.entry(.remove(Removal(of: $0.id, ends: [point])), in: circle.id, after: [more.hash])
        }
        for entry in [adding, more] + removals { _ = try one.insert(entry) }
        for entry in [adding, more] + removals.reversed() { _ = try other.insert(entry) }
        #expect(one.state.endings == other.state.endings)
    }

    // MARK: - Epochs

    /// An epoch for members, made by one of them.
    private func epoch(by author: SyncDevice, for members: [SyncDevice], after circle: Circle) throws -> Entry {
        let cards = members.map(\.card)
        let secrets = try author.beginEpoch(for: cards, earlier: Set(circle.state.epochs.keys), in: circle.id)
        let id = try #require(secrets.wraps.first?.epoch)
        let nameKey = SecretBytes([UInt8](repeating: 1, count: 32))
        let data = EpochDescription.nameKeyData(in: circle.id, id)
        let box = try author.seal(nameKey, for: .afterFirstUnlock, in: id, authenticating: data)
        let description = EpochDescription(id: id, secrets: secrets, nameKey: box)
        return try author.entry(.epoch(description), in: circle.id, after: circle.frontier)
    }

    @Test func `an epoch whose secret a removed device has is not written under any more`() throws {
        var circle = circle
        _ = try circle.insert(alice.adding(bob, to: circle.id, after: circle.frontier))
        let first = try epoch(by: alice, for: [alice, bob], after: circle)
        _ = try circle.insert(first)
        #expect(circle.state.writingEpoch != nil)
        _ = try circle.insert(alice.removing(bob, from: circle.id, after: circle.frontier))
        #expect(circle.state.writingEpoch == nil)
        // Bob has the first one, and what is sealed under it; not the other way.
        let second = try epoch(by: alice, for: [alice], after: circle)
        _ = try circle.insert(second)
        guard case .epoch(let description) = second.body else { return }
        #expect(circle.state.writingEpoch?.id == description.id)
    }

    /// A member who does not know the removal may hand the secret of an older epoch to the removed device.
    @Test func `an epoch that does not have a removal in its past is not written under, even if only members have it`()
        throws
    {
        var circle = circle
        for device in [bob, mallory] {
            _ = try circle.insert(alice.adding(device, to: circle.id, after: circle.frontier))
        }
        let time = circle
        _ = try circle.insert(bob.removing(mallory, from: circle.id, after: circle.frontier))
        _ = try circle.insert(epoch(by: alice, for: [alice, bob], after: time))
        #expect(circle.state.goodEpochs.isEmpty)
        #expect(circle.state.writingEpoch == nil)
        _ = try circle.insert(epoch(by: alice, for: [alice, bob], after: circle))
        #expect(circle.state.writingEpoch != nil)
    }

    @Test func `where somebody cannot read an epoch, one who has all begins another one`() throws {
        var circle = circle
        _ = try circle.insert(epoch(by: alice, for: [alice], after: circle))
        _ = try circle.insert(alice.adding(bob, to: circle.id, after: circle.frontier))
        #expect(circle.state.writingEpoch == nil)
        // Bob cannot hand the first one on: who joined after him could not read what is under it.
        _ = try circle.insert(epoch(by: bob, for: [alice, bob], after: circle))
        #expect(circle.state.writingEpoch == nil)
        #expect(!circle.state.hasAllEpochs(bob.id))
        _ = try circle.insert(epoch(by: alice, for: [alice, bob], after: circle))
        #expect(circle.state.writingEpoch != nil)
    }

    @Test func `a removed device that claims to have an epoch's secret, with an earlier date, makes nobody leave it`()
        throws
    {
        var circle = circle
        let add = try alice.adding(mallory, to: circle.id, after: circle.frontier)
        _ = try circle.insert(add)
        _ = try circle.insert(alice.removing(mallory, from: circle.id, after: circle.frontier))
        let good = try epoch(by: alice, for: [alice], after: circle)
        _ = try circle.insert(good)
        let before = circle.state.writingEpoch?.id
        // It names the epoch and wraps nothing: it does not have the secret.
        let key = SealedKey(encapsulation: [UInt8](repeating: 0, count: 1_120), box: [UInt8](repeating: 0, count: 48))
        let id = try #require(before)
        let lie = EpochSecrets(wraps: [EpochWrap(epoch: id, recipient: mallory.id, key: key)])
        let box = try #require(SealedBox([UInt8](repeating: 0, count: SealedBox.sizeOfKey)))
        let description = EpochDescription(id: id, secrets: lie, nameKey: box)
        _ = try circle.insert(mallory.entry(.epoch(description), in: circle.id, after: [add.hash]))
        #expect(circle.state.writingEpoch?.id == before)
    }

    @Test func `a secret that is not the one that its epoch is named by is not taken, nor one for another recipient`()
        throws
    {
        let secret = EpochSecret()
        let other = EpochSecret()
        let wrap = try other.wrap(for: bob.card, in: circle.id)
        let exchanged = EpochWrap(epoch: secret.id, recipient: bob.id, key: wrap.key)
        let redirected = EpochWrap(epoch: other.id, recipient: alice.id, key: wrap.key)
        try bob.unwrap(EpochSecrets(wraps: [exchanged]), in: circle.id)
        try alice.unwrap(EpochSecrets(wraps: [redirected]), in: circle.id)
        try bob.unwrap(EpochSecrets(wraps: [wrap]), in: SyncHash(of: [1]))
        #expect(bob.epochs.isEmpty)
        #expect(alice.epochs.isEmpty)
        try bob.unwrap(EpochSecrets(wraps: [wrap]), in: circle.id)
        #expect(Array(bob.epochs.keys) == [other.id])
    }

    @Test func `a key to which nothing can be sealed is no card`() {
        let point = Array(P256.Signing.PrivateKey().publicKey.x963Representation)
        let key = [UInt8](repeating: 0xFF, count: DeviceCard.sealingKeySize)
        #expect(throws: SyncRefusal.badKey) { try DeviceCard(kind: .device, signingKey: point, sealingKey: key) }
    }

    @Test func `the floor of the formats rises and never falls, and no removed device raises it with an earlier date`()
        throws
    {
        var circle = circle
        let add = try alice.adding(mallory, to: circle.id, after: circle.frontier)
        _ = try circle.insert(add)
        _ = try circle.insert(alice.entry(.floor(2), in: circle.id, after: circle.frontier))
        #expect(throws: SyncRefusal.outOfRange) {
            try circle.insert(alice.entry(.floor(1), in: circle.id, after: circle.frontier))
        }
        _ = try circle.insert(alice.removing(mallory, from: circle.id, after: circle.frontier))
        _ = try circle.insert(mallory.entry(.floor(60_000), in: circle.id, after: [add.hash]))
        #expect(circle.state.floor == 2)
    }
}
