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
        let elsewhere = try bob.sign(Addition.consent(of: bob.card, to: SyncHash(of: [1])))
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

    private let salt = SyncName([UInt8](repeating: 1, count: 16))

    private func ending(of device: SyncDevice, at number: UInt64) throws -> Ending {
        Ending(of: device.id, salt: try #require(salt), at: number, SyncHash(of: [UInt8(number)]))
    }

    @Test func `a journal of a removed device that no removal names does not count, whatever the device says of it`()
        throws
    {
        let ending = try ending(of: mallory, at: 5)
        let add = try alice.adding(mallory, to: circle.id, after: [founding.hash])
        let remove = try alice.removing(mallory, from: circle.id, after: [add.hash])
        let end = try mallory.entry(.end([ending]), in: circle.id, after: [add.hash])
        var circle = circle
        for entry in [add, end] { _ = try circle.insert(entry) }
        #expect(circle.state.end(of: ending.journal, by: mallory.id) == ending.point)
        _ = try circle.insert(remove)
        #expect(circle.state.end(of: ending.journal, by: mallory.id) == .zero(of: ending.journal))
    }

    @Test func `of several ends of a journal the shortest counts`() throws {
        var circle = circle
        for number in [7, 3, 5] as [UInt64] {
            let end = try ending(of: bob, at: number)
            _ = try circle.insert(alice.entry(.end([end]), in: circle.id, after: circle.frontier))
        }
        #expect(circle.state.end(of: try ending(of: bob, at: 1).journal, by: bob.id)?.number == 3)
        #expect(circle.state.endings.count == 1)
    }

    /// Its name is made from its device and a salt, and the salt is named with the device.
    @Test func `nobody ends a journal as another device's, in any order of entries`() throws {
        let (first, second) = (try ending(of: bob, at: 3), try ending(of: carol, at: 4))
        #expect(first.journal != second.journal)
        var one = circle
        let adding = try alice.adding(bob, to: circle.id, after: [founding.hash])
        let more = try alice.adding(carol, to: circle.id, after: [adding.hash])
        let removals = try [(bob, first), (carol, second)].map { device, end in
            try alice.removing(device, from: circle.id, after: [more.hash], ends: [end])
        }
        for entry in [adding, more] + removals { _ = try one.insert(entry) }
        var other = circle
        #expect(other.insert(removals.reversed() + [more, adding]).added.count == 4)
        #expect(one.state.endings == other.state.endings)
        #expect(Set(one.state.endings) == [first, second])
    }

    // MARK: - Floods

    @Test func `entries come in whatever their order, and what is missing is named`() throws {
        var entries: [Entry] = []
        var parent = founding.hash
        for _ in 0..<40 {
            entries.append(try alice.entry(.end([try ending(of: bob, at: 1)]), in: circle.id, after: [parent]))
            parent = try #require(entries.last).hash
        }
        var circle = circle
        #expect(circle.insert(entries.reversed()).added == entries)
        var other = self.circle
        let insertion = other.insert(Array(entries.dropFirst().reversed()))
        #expect(insertion.added.isEmpty)
        #expect(insertion.missing == [entries[0].hash])
    }

    /// A copy with a wrong signature has the same hash.
    @Test func `a forged copy of an entry does not keep the right one out`() throws {
        let add = try alice.adding(bob, to: circle.id, after: [founding.hash])
        let forged = try Entry(
            circle: circle.id,
            parents: add.parents,
            author: add.author,
            body: add.body,
            consent: add.consent,
            sign: mallory.sign
        )
        #expect(forged.hash == add.hash)
        for entries in [[forged, add], [add, forged], [forged, add, forged]] {
            var circle = circle
            let insertion = circle.insert(entries)
            #expect(insertion.added == [add])
            #expect(insertion.refused.isEmpty)
        }
    }

    /// So many that honest members name none of them as a parent, each built on the same.
    private func flood(_ count: Int, by author: SyncDevice, after parent: EntryHash) throws -> [Entry] {
        try (0..<count).map { number in
            let end = Ending(
                of: author.id,
                salt: try #require(salt),
                at: UInt64(number) + 1,
                SyncHash(of: [UInt8(number & 255), UInt8(number >> 8)])
            )
            return try author.entry(.end([end]), in: circle.id, after: [parent])
        }
    }

    @Test func `a member that floods a circle is kept within its share, and is removed from it`() throws {
        let add = try alice.adding(mallory, to: circle.id, after: [founding.hash])
        var circle = circle
        _ = try circle.insert(add)
        let flood = try flood(Circle.mostByAuthor + 50, by: mallory, after: add.hash)
        let insertion = circle.insert(flood)
        #expect(insertion.added.count == Circle.mostByAuthor)
        #expect(Set(insertion.refused.values) == [.tooLarge])
        // Another device took others of them.
        var other = self.circle
        _ = try other.insert(add)
        _ = other.insert(flood.reversed())
        #expect(circle.isFlooded && other.isFlooded)
        let removal = try alice.entry(.remove(Removal(of: mallory.id, ends: [])), in: circle.id, after: merged(&other))
        #expect(try other.insert(removal) == .added)
        #expect(circle.insert(other.entries.shuffled()).refused.isEmpty)
        #expect(Set(circle.state.members.keys) == [alice.id])
    }

    /// Merges the newest entries until one can name them all.
    private func merged(_ circle: inout Circle, by device: SyncDevice? = nil) throws -> [EntryHash] {
        while circle.frontier.count > Entry.mostParents {
            let parents = Array(circle.frontier.prefix(Entry.mostParents))
            let merge = try (device ?? alice).entry(.merge, in: circle.id, after: parents)
            #expect(try circle.insert(merge) == .added)
        }
        return circle.frontier
    }

    /// What is built on other parts of the flood has to come in everywhere.
    @Test func `two who took different parts of a flood agree, also when its author was removed by one of them`() throws
    {
        var circle = circle
        for device in [bob, mallory] {
            _ = try circle.insert(alice.adding(device, to: circle.id, after: circle.frontier))
        }
        let flood = try flood(Circle.mostByAuthor + 200, by: mallory, after: circle.frontier[0])
        var other = circle
        _ = circle.insert(flood)
        _ = other.insert(flood.reversed())
        let removal = try alice.removing(mallory, from: circle.id, after: merged(&circle))
        #expect(try circle.insert(removal) == .added)
        // Bob knows of the removal, and writes on what he has.
        _ = other.insert(circle.entries.shuffled())
        let epoch = try epoch(by: bob, for: [alice, bob], after: merged(&other, by: bob), other)
        #expect(try other.insert(epoch) == .added)
        #expect(circle.insert(other.entries.shuffled()).refused.isEmpty)
        #expect(circle.insert(other.entries.shuffled()).refused.isEmpty)
        #expect(circle.has(epoch.hash))
        #expect(Set(circle.frontier) == Set(other.frontier))
        #expect(!circle.state.writingEpochs.isEmpty)
    }

    @Test func `a flooder does not gain room by building on its own entries, or by removing somebody`() throws {
        var circle = circle
        for device in [bob, mallory] {
            _ = try circle.insert(alice.adding(device, to: circle.id, after: circle.frontier))
        }
        var entries = try flood(Circle.mostByAuthor + 30, by: mallory, after: circle.frontier[0])
        entries.append(try mallory.removing(bob, from: circle.id, after: entries.suffix(30).map(\.hash)))
        let insertion = circle.insert(entries)
        #expect(insertion.added.count == Circle.mostByAuthor)
        #expect(circle.share(of: mallory.id).entries == Circle.mostByAuthor)
    }

    @Test func `one author ends 64 journals of others at most`() throws {
        var circle = circle
        for start in stride(from: 0, to: 64, by: 32) {
            let ends = try (start..<start + 32).map { Ending(of: bob.id, salt: try name($0), at: 1, SyncHash(of: [1])) }
            _ = try circle.insert(alice.entry(.end(ends.sorted(by: order)), in: circle.id, after: circle.frontier))
        }
        let more = try alice.entry(
            .end([Ending(of: bob.id, salt: name(64), at: 1, SyncHash(of: [1]))]),
            in: circle.id,
            after: circle.frontier
        )
        #expect(throws: SyncRefusal.tooLarge) { try circle.insert(more) }
        // It may write more, and nobody merges each of that.
        #expect(!circle.isFlooded)
        let own = try alice.entry(
            .end([Ending(of: alice.id, salt: name(65), at: 1, SyncHash(of: [1]))]),
            in: circle.id,
            after: circle.frontier
        )
        #expect(try circle.insert(own) == .added)
    }

    private func order(_ one: Ending, _ other: Ending) -> Bool { one.journal < other.journal }

    private func name(_ number: Int) throws -> SyncName {
        try #require(SyncName([UInt8](repeating: UInt8(number), count: SyncName.size)))
    }

    @Test func `whom nobody has added costs no more than a look`() throws {
        var circle = circle
        let flood = try flood(20, by: mallory, after: founding.hash)
        let insertion = circle.insert(flood)
        #expect(Set(insertion.refused.values) == [.notMember])
        #expect(circle.entries == [founding])
    }

    // MARK: - Epochs

    /// An epoch for members, made by one of them.
    private func epoch(by author: SyncDevice, for members: [SyncDevice], after circle: Circle) throws -> Entry {
        try epoch(by: author, for: members, after: circle.frontier, circle)
    }

    private func epoch(
        by author: SyncDevice,
        for members: [SyncDevice],
        after parents: [EntryHash],
        _ circle: Circle
    ) throws -> Entry {
        let cards = members.map(\.card)
        let secrets = try author.beginEpoch(for: cards, earlier: Set(circle.state.epochs.keys), in: circle.id)
        let id = try #require(secrets.wraps.first?.epoch)
        let nameKey = SecretBytes([UInt8](repeating: 1, count: 32))
        let data = EpochDescription.nameKeyData(in: circle.id, id)
        let box = try author.seal(nameKey, for: .afterFirstUnlock, in: id, authenticating: data)
        let description = EpochDescription(id: id, secrets: secrets, nameKey: box)
        return try author.entry(.epoch(description), in: circle.id, after: parents)
    }

    @Test func `an epoch whose secret a removed device has is not written under any more`() throws {
        var circle = circle
        _ = try circle.insert(alice.adding(bob, to: circle.id, after: circle.frontier))
        let first = try epoch(by: alice, for: [alice, bob], after: circle)
        _ = try circle.insert(first)
        #expect(!circle.state.writingEpochs.isEmpty)
        _ = try circle.insert(alice.removing(bob, from: circle.id, after: circle.frontier))
        #expect(circle.state.writingEpochs.isEmpty)
        // Bob has the first one, and what is sealed under it; not the other way.
        let second = try epoch(by: alice, for: [alice], after: circle)
        _ = try circle.insert(second)
        guard case .epoch(let description) = second.body else { return }
        #expect(circle.state.writingEpochs.first?.id == description.id)
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
        #expect(circle.state.writingEpochs.isEmpty)
        _ = try circle.insert(epoch(by: alice, for: [alice, bob], after: circle))
        #expect(!circle.state.writingEpochs.isEmpty)
    }

    @Test func `an epoch is written under if all members have it, and another one does not keep them from it`() throws {
        var circle = circle
        let first = try epoch(by: alice, for: [alice], after: circle)
        _ = try circle.insert(first)
        _ = try circle.insert(alice.adding(bob, to: circle.id, after: circle.frontier))
        guard case .epoch(let old) = first.body else { return }
        #expect(circle.state.writingEpochs.isEmpty)
        #expect(circle.state.lacks(old.id))
        // Bob does not have the first one: it is not sealed under his.
        let second = try epoch(by: bob, for: [alice, bob], after: circle)
        _ = try circle.insert(second)
        guard case .epoch(let new) = second.body else { return }
        #expect(circle.state.writingEpochs.map(\.id) == [new.id])
        #expect(circle.state.lacks(old.id))
        // Alice hands it on.
        _ = try circle.insert(epoch(by: alice, for: [alice, bob], after: circle))
        #expect(circle.state.writingEpochs.count == 3)
        #expect(!circle.state.lacks(old.id))
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
        let before = circle.state.writingEpochs.first?.id
        // It names the epoch and wraps nothing: it does not have the secret.
        let key = SealedKey(encapsulation: [UInt8](repeating: 0, count: 1_120), box: [UInt8](repeating: 0, count: 48))
        let id = try #require(before)
        let lie = EpochSecrets(wraps: [EpochWrap(epoch: id, recipient: mallory.id, key: key)])
        let box = try #require(SealedBox([UInt8](repeating: 0, count: SealedBox.sizeOfKey)))
        let description = EpochDescription(id: id, secrets: lie, nameKey: box)
        _ = try circle.insert(mallory.entry(.epoch(description), in: circle.id, after: [add.hash]))
        #expect(circle.state.writingEpochs.first?.id == before)
    }

    /// Somebody else who has not heard of the first one may remove a device once more.
    @Test
    func `a further removal of a device leaves epochs as they are, unless it takes back what the device has written`()
        throws
    {
        var circle = circle
        for device in [bob, mallory] {
            _ = try circle.insert(alice.adding(device, to: circle.id, after: circle.frontier))
        }
        let time = circle.frontier
        let accomplice = try mallory.adding(carol, to: circle.id, after: time)
        var other = circle
        _ = try circle.insert(alice.removing(mallory, from: circle.id, after: time))
        _ = try circle.insert(epoch(by: alice, for: [alice, bob], after: circle))
        #expect(circle.state.writingEpochs.count == 1)
        _ = try circle.insert(bob.removing(mallory, from: circle.id, after: time))
        #expect(circle.state.writingEpochs.count == 1)
        // Alice's removal leaves Carol, and Bob's does not: who does not know Bob's may give her the secret.
        _ = try other.insert(accomplice)
        _ = try other.insert(alice.removing(mallory, from: circle.id, after: [accomplice.hash]))
        _ = try other.insert(epoch(by: alice, for: [alice, bob], after: other))
        #expect(!other.state.goodEpochs.isEmpty)
        _ = try other.insert(bob.removing(mallory, from: circle.id, after: time))
        #expect(other.state.members[carol.id] == nil)
        #expect(other.state.goodEpochs.isEmpty)
    }

    /// Its name key is junk, and it comes later.
    @Test func `somebody who describes an epoch once more does not take its name key away`() throws {
        var circle = circle
        _ = try circle.insert(alice.adding(mallory, to: circle.id, after: circle.frontier))
        let time = circle.frontier
        let first = try epoch(by: alice, for: [alice, mallory], after: circle)
        guard case .epoch(let honest) = first.body else { return }
        let junk = try #require(SealedBox([UInt8](repeating: 0, count: SealedBox.sizeOfKey)))
        let again = EpochDescription(id: honest.id, secrets: honest.secrets, nameKey: junk)
        let merge = try mallory.entry(.end([try ending(of: mallory, at: 1)]), in: circle.id, after: time)
        let second = try mallory.entry(.epoch(again), in: circle.id, after: [merge.hash])
        #expect(circle.insert([first, merge, second]).added.count == 3)
        #expect(circle.state.writingEpochs.map(\.descriptions.count) == [2])
        #expect(circle.state.writingEpochs[0].descriptions.contains(honest))
    }

    /// A later epoch hands on the first of two descriptions, by a device whose entries do not count any more.
    @Test func `who has an epoch that was described twice does not depend on the order in which entries came`() throws {
        var circle = circle
        for device in [bob, carol, mallory] {
            _ = try circle.insert(alice.adding(device, to: circle.id, after: circle.frontier))
        }
        let time = circle.frontier
        let first = try epoch(by: mallory, for: [alice, bob, mallory], after: circle)
        guard case .epoch(let description) = first.body else { return }
        let again = EpochDescription(
            id: description.id,
            secrets: EpochSecrets(wraps: description.secrets.wraps.filter { $0.recipient != mallory.id }),
            nameKey: description.nameKey
        )
        let second = try bob.entry(.epoch(again), in: circle.id, after: time)
        var other = circle
        _ = try other.insert(first)
        try alice.unwrap(description.secrets, in: circle.id)
        let later = try epoch(by: alice, for: [alice, carol], after: other)
        let removal = try bob.removing(mallory, from: circle.id, after: [second.hash])
        for order in [
            [first, later, second, removal], [second, first, later, removal], [second, removal, first, later],
        ] {
            var circle = circle
            for entry in order { #expect(try circle.insert(entry) == .added) }
            #expect(circle.state.epochs[description.id] == [alice.id, bob.id, carol.id])
        }
    }

    /// What was written under it somebody cannot read, so its author writes that once more.
    @Test func `a member that knows an epoch and does not hand it on lacks it, also when the epoch is good no more`()
        throws
    {
        var circle = circle
        for device in [bob, carol, mallory] {
            _ = try circle.insert(alice.adding(device, to: circle.id, after: circle.frontier))
        }
        // Bob never opens what was wrapped for him.
        let first = try epoch(by: mallory, for: [alice, bob, carol, mallory], after: circle)
        _ = try circle.insert(first)
        guard case .epoch(let spoiled) = first.body else { return }
        #expect(circle.state.avoided.isEmpty)
        _ = try circle.insert(alice.removing(mallory, from: circle.id, after: circle.frontier))
        #expect(circle.state.goodEpochs.isEmpty)
        _ = try circle.insert(epoch(by: bob, for: [alice, bob, carol], after: circle))
        #expect(circle.state.avoided == [spoiled.id])
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

    @Test func `the floor of the formats rises and never falls, and no removed device raises it`() throws {
        var circle = circle
        let add = try alice.adding(mallory, to: circle.id, after: circle.frontier)
        _ = try circle.insert(add)
        _ = try circle.insert(alice.entry(.floor(2), in: circle.id, after: circle.frontier))
        #expect(throws: SyncRefusal.outOfRange) {
            try circle.insert(alice.entry(.floor(1), in: circle.id, after: circle.frontier))
        }
        // Neither with an earlier date nor before: a member who lies can say that nobody knows the formats.
        _ = try circle.insert(mallory.entry(.floor(60_000), in: circle.id, after: circle.frontier))
        #expect(circle.state.floor == 60_000)
        _ = try circle.insert(alice.removing(mallory, from: circle.id, after: circle.frontier))
        _ = try circle.insert(mallory.entry(.floor(50_000), in: circle.id, after: [add.hash]))
        #expect(circle.state.floor == 2)
    }

    @Test func `the floor stays when the device leaves that has raised it, until somebody else removes that, too`()
        throws
    {
        var circle = circle
        _ = try circle.insert(alice.adding(bob, to: circle.id, after: circle.frontier))
        _ = try circle.insert(bob.entry(.floor(2), in: circle.id, after: circle.frontier))
        _ = try circle.insert(bob.removing(bob, from: circle.id, after: circle.frontier))
        #expect(circle.state.floor == 2)
        _ = try circle.insert(alice.removing(bob, from: circle.id, after: circle.frontier))
        #expect(circle.state.floor == 0)
    }
}
