import KeychainModel
import KeychainSync
import Testing

@Suite("What devices read of each other")
struct ReplicaTests {
    private let site = SyncSite()
    private let alice: SyncMember
    private let bob: SyncMember

    init() throws {
        alice = try SyncMember(founding: site)
        try alice.synchronize()
        bob = try SyncMember(joining: alice)
        try settle()
    }

    private func settle(_ more: [SyncMember] = []) throws {
        for _ in 0..<4 { for member in [alice, bob] + more { try member.synchronize() } }
    }

    @Test func `an item that one device writes is another's, a change replaces it, and a deletion removes it`() throws {
        try alice.write(1, 10, tier: .unlocked)
        try settle()
        #expect(bob.value(1) == 10)
        try bob.write(1, 11)
        try settle()
        #expect(alice.value(1) == 11)
        try alice.write(1, nil)
        try settle()
        #expect(bob.value(1) == nil)
        #expect(alice.items.isEmpty && bob.items.isEmpty)
    }

    @Test func `the last change counts, whatever the clocks say`() throws {
        try alice.write(1, 10, at: SyncSite.clock + 1_000_000_000)
        try settle()
        try bob.write(1, 11, at: SyncSite.clock)
        try settle()
        #expect(alice.value(1) == 11)
        #expect(bob.value(1) == 11)
    }

    @Test func `of two changes that did not know of each other both devices keep the same, and one keeps what it lost`()
        throws
    {
        try alice.write(1, 10, at: SyncSite.clock + 5)
        try bob.write(1, 20, at: SyncSite.clock + 9)
        try alice.publish()
        try bob.publish()
        let outcome = try alice.read()
        #expect(outcome.conflicts.map(\.name) == [SyncMember.item(1)])
        #expect(alice.value(1) == 20)
        try settle()
        #expect(bob.value(1) == 20)
    }

    @Test func `a tombstone is dropped once everybody has written a base after it, and the item stays away`() throws {
        try alice.write(1, 10)
        try settle()
        try bob.write(1, nil)
        try settle()
        #expect(alice.tombstones() == 1)
        for member in [alice, bob] { try member.compact() }
        try settle()
        #expect(alice.tombstones() + bob.tombstones() == 0)
        // Somebody writes it anew, by a clock that is behind the tombstone.
        try alice.write(1, 11, at: SyncSite.clock - 1_000_000)
        try settle()
        #expect(bob.value(1) == 11)
    }

    @Test func `a stamp that is too great is refused here, and nothing is written`() throws {
        #expect(throws: SyncRefusal.outOfRange) { try alice.write(1, 10, at: 1 << 48) }
        #expect(alice.items.isEmpty)
    }

    @Test func `an item that the store does not have as the circle knows it keeps a base from being written`() throws {
        try alice.write(1, 10)
        let before = alice.replica.own?.tip
        alice.items[SyncMember.item(1)] = SecretBytes([99])
        #expect(throws: KeychainError(.undecodable, "")) { try alice.compact() }
        alice.items[SyncMember.item(1)] = nil
        #expect(throws: KeychainError(.undecodable, "")) { try alice.compact() }
        #expect(alice.replica.own?.tip == before)
    }

    @Test func `segments that a base replaces are released once everybody has read the base`() throws {
        try alice.write(1, 10)
        try alice.write(2, 20)
        try settle()
        try alice.compact()
        #expect(alice.replica.release().isEmpty)
        try settle()
        let released = alice.replica.release()
        #expect(!released.isEmpty)
        for point in released { site.segments[point] = nil }
        let carol = try SyncMember(joining: alice)
        try settle([carol])
        #expect(carol.value(1) == 10)
        #expect(carol.value(2) == 20)
    }

    @Test func `what no reader would take is not written`() throws {
        let name = SyncMember.item(1)
        let change = { (item: SecretBytes) in
            LocalChange(name: name, tier: .unlocked, item: item, modified: SyncSite.clock)
        }
        let one = change(SecretBytes([1]))
        #expect(throws: SyncRefusal.notCanonical) { try alice.replica.write([one, one], keys: alice.keys) }
        let long = change(SecretBytes([UInt8](repeating: 1, count: Record.largest + 1)))
        #expect(throws: SyncRefusal.tooLarge) { try alice.replica.write([long], keys: alice.keys) }
        #expect(alice.replica.items.isEmpty)
        // The longest is read.
        let longest = change(SecretBytes([UInt8](repeating: 1, count: Record.largest)))
        site.post(try alice.replica.write([longest], keys: alice.keys).segments)
        alice.items[name] = longest.item
        try alice.publish()
        try bob.read()
        #expect(bob.items[name]?.count == Record.largest)
    }

    @Test func `a member that has written since its last head adds nobody: the newcomer would not read that`() throws {
        try alice.write(1, 10)
        #expect(throws: SyncRefusal.notMember) { try SyncMember(joining: alice) }
        try alice.publish()
        let carol = try SyncMember(joining: alice)
        try settle([carol])
        #expect(carol.value(1) == 10)
    }

    @Test func `a device that reads the circle removes nobody: it cannot say how far journals count`() throws {
        let carol = try SyncMember(joining: alice)
        try carol.takeEntries()
        #expect(carol.replica.isMember)
        #expect(throws: SyncRefusal.notMember) { try carol.replica.remove(bob.keys.id, keys: carol.keys) }
    }

    // MARK: - Heads and segments that are not what they should be

    /// A head of Bob's with something changed, signed by him or by somebody else.
    private func head(signedBy signer: SyncDevice? = nil, _ change: (inout Head.Contents) -> Void) throws -> Head {
        var contents = try #require(bob.replica.own?.head).contents
        contents.counter += 10
        change(&contents)
        return try Head(contents) { (digest) throws(KeychainError) in try (signer ?? bob.keys).sign(digest) }
    }

    @Test func `a head that its device has not signed is refused`() throws {
        let forged = try head(signedBy: alice.keys) { _ in }
        site.post(forged)
        #expect(try alice.plan().refused == [forged.contents.journal: .badSignature])
    }

    @Test func `a head that a stranger has signed as its own is refused`() throws {
        let mallory = try SyncDevice()
        let own = try head(signedBy: mallory) { contents in
            contents.device = mallory.id
            let journal = JournalID(ofJournalOf: mallory.id, salt: contents.salt)
            contents.tip = JournalPoint(journal: journal, number: 1, hash: SyncHash(of: [1]))
        }
        site.post(own)
        #expect(try alice.plan().refused == [own.contents.journal: .notMember])
    }

    @Test func `a device cannot write another one's journal: its name is made from its device`() throws {
        let journal = try #require(bob.replica.own?.id)
        let salt = try #require(bob.replica.own?.salt)
        #expect(JournalID(ofJournalOf: bob.keys.id, salt: salt) == journal)
        #expect(JournalID(ofJournalOf: alice.keys.id, salt: salt) != journal)
    }

    @Test func `an older head changes nothing`() throws {
        let journal = try #require(bob.replica.own?.id)
        let old = try #require(site.heads[journal])
        try bob.write(1, 10)
        try settle()
        site.post(old)
        #expect(try alice.plan().isEmpty)
        #expect(alice.value(1) == 10)
    }

    @Test func `a head of another circle is refused`() throws {
        let other = try head { $0.circle = SyncHash(of: [1]) }
        site.post(other)
        #expect(try alice.plan().refused == [other.contents.journal: .otherCircle])
    }

    @Test func `a journal with another segment at a place that was read has two writers, and is ended there`() throws {
        try bob.write(1, 10)
        try settle()
        let journal = try #require(bob.replica.own?.id)
        let tip = try #require(bob.replica.own?.tip)
        site.post(
            try head { $0.tip = JournalPoint(journal: journal, number: tip.number, hash: SyncHash(of: [1])) }
        )
        try alice.synchronize()
        #expect(alice.replica.circle.state.end(of: journal, by: bob.keys.id) == tip)
        // What was read stays, and Bob writes another journal from now on.
        try settle()
        #expect(alice.value(1) == 10)
        #expect(bob.replica.own?.id != journal)
        try bob.write(2, 20)
        try settle()
        #expect(alice.value(2) == 20)
    }

    @Test func `two heads with one counter end a journal`() throws {
        try alice.synchronize()
        let counter = try #require(bob.replica.own?.counter)
        let other = try head {
            $0.counter = counter
            $0.clock += 1
        }
        site.post(other)
        try alice.synchronize()
        #expect(alice.replica.circle.state.end(of: other.contents.journal, by: bob.keys.id) != nil)
    }

    @Test func `a base that says other things of the past than was read does not hide that there are two histories`()
        throws
    {
        try bob.write(1, 10)
        try settle()
        let own = try #require(bob.replica.own)
        let epoch = try bob.replica.writingEpoch()
        var spine = own.history + [SyncHash(of: [7])]
        spine[own.history.count - 1] = SyncHash(of: [8])
        let base = Segment(
            Segment.Header(
                circle: bob.replica.circle.id,
                journal: own.id,
                number: UInt64(spine.count) + 1,
                previous: SyncHash(of: [7]),
                base: Segment.Base(first: UInt64(spine.count) + 1, spine: spine)
            ),
            boxes: []
        )
        site.post([base])
        site.post(
            try head {
                $0.tip = base.point
                $0.epoch = epoch
            }
        )
        try alice.synchronize()
        #expect(alice.replica.circle.state.end(of: own.id, by: bob.keys.id) == own.tip)
        #expect(alice.value(1) == 10)
    }

    @Test func `a head before its segments waits, and a journal is read as a whole`() throws {
        try bob.write(1, 10)
        try bob.write(2, 20)
        try bob.publish()
        let tip = try #require(bob.replica.own?.tip)
        let first = try #require(site.segments.keys.first { $0.journal == tip.journal && $0.number == tip.number - 1 })
        let bytes = site.segments.removeValue(forKey: first)
        let plan = try alice.plan()
        #expect(plan.missing == [first])
        try alice.read()
        #expect(alice.items.isEmpty)
        // Half of it, or another one, is as good as nothing.
        site.segments[first] = bytes.map { Array($0.prefix($0.count / 2)) }
        #expect(try alice.plan().missing == [first])
        site.segments[first] = site.segments[tip]
        #expect(try alice.plan().missing == [first])
        site.segments[first] = bytes
        try alice.read()
        #expect(alice.value(1) == 10)
        #expect(alice.value(2) == 20)
    }

    /// A segment of Bob's with contents that his code would not write.
    private func publish(_ boxes: [(tier: SyncTier, contents: [UInt8])]) throws {
        let own = try #require(bob.replica.own)
        let epoch = try bob.replica.writingEpoch()
        let header = Segment.Header(
            circle: bob.replica.circle.id,
            journal: own.id,
            number: own.tip.number + 1,
            previous: own.tip.hash
        )
        let sealed = try boxes.map { tier, contents in
            let data = header.associatedData(of: tier, in: epoch)
            let box = try bob.keys.seal(try Padding.padded(contents), for: tier, in: epoch, authenticating: data)
            return Segment.Box(tier: tier, epoch: epoch, sealed: box)
        }
        let segment = Segment(header, boxes: sealed)
        site.post([segment])
        site.post(try head { $0.tip = segment.point })
    }

    private func record(_ number: UInt8, at place: UInt64) -> Record {
        Record(
            name: SyncMember.item(number),
            stamp: SyncSite.clock,
            number: place,
            replaced: nil,
            item: SecretBytes([number])
        )
    }

    @Test func `a record from a later segment than its own is refused, with its journal and no other`() throws {
        let number = try #require(bob.replica.own?.tip.number) + 1
        try publish([(.unlocked, Record.encode([record(1, at: number + 1)]))])
        #expect(try alice.plan().refused.map(\.value) == [.notCanonical])
        try alice.read()
        #expect(alice.items.isEmpty)
    }

    @Test func `an item that is in both boxes of a segment is refused`() throws {
        let number = try #require(bob.replica.own?.tip.number) + 1
        let contents = Record.encode([record(1, at: number)])
        try publish([(.unlocked, contents), (.afterFirstUnlock, contents)])
        #expect(try alice.plan().refused.map(\.value) == [.notCanonical])
    }

    @Test func `a stamp of another's that is too great is refused at decoding, whatever the clock says`() throws {
        let number = try #require(bob.replica.own?.tip.number) + 1
        var contents = Record.encode([record(1, at: number)])
        contents.replaceSubrange(35..<43, with: [0, 1, 0, 0, 0, 0, 0, 0])
        try publish([(.unlocked, contents)])
        #expect(try alice.plan().refused.map(\.value) == [.outOfRange])
    }

    @Test func `boxes that were exchanged between tiers, segments or journals do not open`() throws {
        try bob.write(1, 10, tier: .unlocked)
        try bob.write(2, 20, tier: .afterFirstUnlock)
        let own = try #require(bob.replica.own)
        let written = try (own.tip.number - 1...own.tip.number).map { number in
            let point = JournalPoint(journal: own.id, number: number, hash: own.history[Int(number) - 1])
            let bytes = try #require(site.segments[point])
            return try Segment(bytes)
        }
        for (tier, box) in [(SyncTier.unlocked, written[1].boxes[0]), (.afterFirstUnlock, written[1].boxes[0])] {
            let header = Segment.Header(
                circle: bob.replica.circle.id,
                journal: own.id,
                number: own.tip.number + 1,
                previous: own.tip.hash
            )
            let moved = Segment(header, boxes: [Segment.Box(tier: tier, epoch: box.epoch, sealed: box.sealed)])
            site.post([moved])
            site.post(try head { $0.tip = moved.point })
            #expect(try alice.plan().refused.map(\.value) == [.notOpened])
        }
    }

    @Test func `a locked device reads nothing in part, and all of it once it is unlocked`() throws {
        try bob.write(1, 10, tier: .unlocked)
        try bob.publish()
        alice.keys.locked = [.unlocked]
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try alice.read() }
        #expect(alice.items.isEmpty)
        alice.keys.locked = []
        try alice.read()
        #expect(alice.value(1) == 10)
    }

    @Test func `a false floor of the stamps goes with the device that has signed it`() throws {
        site.post(try head { $0.stampFloor = Record.stampBound - 1 })
        try alice.read()
        #expect(throws: SyncRefusal.outOfRange) { try alice.write(1, 10) }
        site.post([try alice.replica.remove(bob.keys.id, keys: alice.keys)])
        try alice.synchronize()
        try alice.write(1, 10)
        #expect(alice.value(1) == 10)
    }

    @Test func `a tombstone with a stamp of a far future is kept, so that there is room for later stamps`() throws {
        try alice.write(1, 10, at: 1 << 46)
        try settle()
        try alice.write(1, nil, at: 1 << 46)
        try settle()
        for member in [alice, bob] { try member.compact() }
        try settle()
        #expect(alice.tombstones() == 1)
        try bob.write(2, 20)
        #expect(bob.replica.items[SyncMember.item(2)]?.version.stamp == SyncSite.clock)
    }

    // MARK: - Newcomers, and disks that were set back

    @Test
    func `a newcomer that is shown an older circle than its approver knows takes nothing, until its owner says so`()
        throws
    {
        let old = site.heads
        try alice.write(1, 10)
        try settle()
        try alice.write(1, nil)
        try settle()
        let carol = try SyncMember(joining: alice)
        try alice.synchronize()
        let new = site.heads
        site.heads = old
        try carol.takeEntries()
        try carol.read()
        #expect(carol.replica.phase != .member)
        #expect(carol.items.isEmpty)
        site.heads = new
        try carol.read()
        #expect(carol.replica.phase == .member)
    }

    @Test func `a newcomer waits for what the journals that it was shown have read`() throws {
        try bob.write(1, 10)
        try settle()
        let carol = try SyncMember(joining: alice)
        try alice.synchronize()
        carol.replica.acceptOlder()
        // Bob's journal is withheld; Alice's says that she has read it.
        let journal = try #require(bob.replica.own?.id)
        let head = site.heads.removeValue(forKey: journal)
        try carol.takeEntries()
        try carol.read()
        #expect(carol.replica.phase != .member)
        site.post(head)
        try carol.read()
        #expect(carol.value(1) == 10)
    }

    /// A former member cannot make a newcomer believe that a journal has ended, by naming it as another device's.
    @Test func `a removal that names another device's journal does not make it dispensable for a newcomer`() throws {
        let mallory = try SyncMember(joining: alice)
        try settle([mallory])
        let time = alice.replica.circle.frontier
        let old = site.heads
        try alice.write(1, 10)
        try settle([mallory])
        site.post([try alice.replica.remove(mallory.keys.id, keys: alice.keys)])
        try settle()
        // With an earlier date: an accomplice, and its removal, which names Alice's journal.
        let accomplice = try SyncDevice()
        let added = try mallory.keys.adding(accomplice, to: alice.replica.circle.id, after: time)
        let point = try #require(alice.replica.own?.tip)
        let removal = EntryBody.remove(Removal(of: accomplice.id, ends: [point]))
        site.post([added, try mallory.keys.entry(removal, in: alice.replica.circle.id, after: [added.hash])])
        try settle()
        let carol = try SyncMember(joining: alice)
        try alice.synchronize()
        let new = site.heads
        let journal = try #require(alice.replica.own?.id)
        site.heads[journal] = old[journal]
        try carol.takeEntries()
        try carol.read()
        #expect(carol.replica.phase != .member)
        site.heads = new
        try carol.read()
        #expect(carol.value(1) == 10)
    }

    @Test func `a device whose disk was set back twice finds out each time, and loses nothing that another one has`()
        throws
    {
        try alice.write(1, 10)
        try settle()
        let disk = (alice.replica, alice.items)
        try alice.write(2, 20)
        try settle()
        for round in 0..<2 {
            let journal = alice.replica.own?.id
            (alice.replica, alice.items) = disk
            try alice.write(UInt8(3 + round), 30)
            try settle()
            #expect(alice.replica.own?.id != journal)
            #expect(alice.value(1) == 10)
            #expect(alice.value(2) == 20)
            #expect(bob.value(UInt8(3 + round)) == 30)
        }
        #expect(alice.items.keys.sorted() == bob.items.keys.sorted())
    }

    @Test func `two machines with one disk each write a journal, and agree`() throws {
        try alice.write(1, 10)
        try settle()
        let copy = try SyncMember(copying: alice)
        try alice.write(2, 20)
        try copy.write(3, 30)
        try settle([copy])
        try settle([copy])
        #expect(alice.replica.own?.id != copy.replica.own?.id)
        for member in [alice, copy, bob] {
            #expect([1, 2, 3].map { member.value($0) } == [10, 20, 30])
        }
    }

    @Test func `a removed device reads nothing that is written afterwards, and what it writes is not read`() throws {
        try bob.write(1, 10)
        try settle()
        site.post([try alice.replica.remove(bob.keys.id, keys: alice.keys)])
        try alice.synchronize()
        try alice.write(2, 20)
        try alice.publish()
        try bob.write(3, 30)
        try bob.publish()
        try alice.synchronize()
        #expect(alice.value(1) == 10)
        #expect(alice.value(3) == nil)
        let epoch = try alice.replica.writingEpoch()
        try bob.takeEntries()
        #expect(bob.keys.epochs[epoch] == nil)
        #expect(throws: SyncRefusal.notMember) { try bob.write(4, 40) }
        // What was Bob's is Alice's now, for those who come later.
        let carol = try SyncMember(joining: alice)
        for _ in 0..<4 { for member in [alice, carol] { try member.synchronize() } }
        #expect(carol.value(1) == 10)
        #expect(carol.value(2) == 20)
    }

    @Test func `a flood of entries that wait for parents that never come costs a bounded memory`() throws {
        for number in 0..<2_000 {
            let parent = SyncHash(of: [UInt8(number & 255), UInt8(number >> 8)])
            let entry = try bob.keys.entry(.floor(1), in: alice.replica.circle.id, after: [parent])
            _ = try alice.replica.insert(entry, keys: alice.keys)
        }
        #expect(alice.replica.missingEntries.count <= Replica.mostWaiting)
        try alice.write(1, 10)
        try settle()
        #expect(bob.value(1) == 10)
    }
}
