import KeychainModel
import KeychainSync
import Testing

@Suite("What devices read of each other")
struct ReplicaTests {
    private let group: SyncGroup
    private var site: SyncSite { group.site }
    private var alice: SyncMember { group.alice }
    private var bob: SyncMember { group.bob }

    init() throws { group = try SyncGroup() }

    private func settle(_ more: [SyncMember] = []) throws { try group.settle(more) }

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
        #expect(try alice.compact() == [SyncMember.item(1)])
        alice.items[SyncMember.item(1)] = nil
        #expect(try alice.compact() == [SyncMember.item(1)])
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
        return try Head(contents) { (statement) throws(KeychainError) in try (signer ?? bob.keys).sign(statement) }
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

    @Test func `secrets that came while a device was locked are taken once it is unlocked`() throws {
        let carol = try SyncMember(joining: alice)
        for _ in 0..<3 { for member in [carol, alice, bob] { try member.synchronize() } }
        alice.keys.locked = [.unlocked]
        site.post(try bob.replica.remove(carol.keys.id, keys: bob.keys))
        try bob.synchronize()
        try bob.write(1, 10)
        try bob.publish()
        try alice.takeEntries()
        #expect(alice.replica.hasLockedSecrets)
        #expect(alice.replica.circle.state.members[carol.keys.id] == nil)
        // It begins no epoch of its own meanwhile, and loses nothing.
        #expect(try alice.replica.keepUp(clock: alice.clock, keys: alice.keys).isEmpty)
        alice.keys.locked = []
        try alice.synchronize()
        #expect(!alice.replica.hasLockedSecrets)
        try alice.synchronize()
        #expect(alice.value(1) == 10)
    }

    @Test(arguments: [KeychainError.Code.noPermission, .dataTooLarge])
    func `a device whose enclave begins no epoch keeps up with all else`(refusal: KeychainError.Code) throws {
        let carol = try SyncMember(joining: alice)
        for _ in 0..<3 { for member in [carol, alice, bob] { try member.synchronize() } }
        alice.keys.refusal = refusal
        site.post(try alice.replica.remove(carol.keys.id, keys: alice.keys))
        // A new epoch is due, and somebody else begins it.
        try alice.takeEntries()
        #expect(try alice.replica.keepUp(clock: alice.clock, keys: alice.keys).isEmpty)
        #expect(throws: SyncRefusal.notMember) { try alice.replica.writingEpoch() }
        try bob.synchronize()
        try alice.synchronize()
        try alice.write(1, 10)
        try alice.publish()
        try bob.read()
        #expect(bob.value(1) == 10)
        // Other failures are told.
        alice.keys.refusal = .inputOutput
        site.post(try alice.replica.remove(bob.keys.id, keys: alice.keys))
        #expect(throws: KeychainError.self) { try alice.replica.keepUp(clock: alice.clock, keys: alice.keys) }
    }

    @Test func `a locked device reads the journals without anything locked, and the others once it is unlocked`() throws
    {
        let carol = try SyncMember(joining: alice)
        for _ in 0..<3 { for member in [carol, alice, bob] { try member.synchronize() } }
        try bob.write(1, 10, tier: .unlocked)
        try bob.write(2, 20)
        try bob.publish()
        try carol.write(3, 30)
        try carol.publish()
        alice.keys.locked = [.unlocked]
        let plan = try alice.plan()
        #expect(plan.locked == [try #require(bob.replica.own?.id)])
        try alice.read()
        #expect((1...3).map { alice.value($0) } == [nil, nil, 30])
        // It goes on, and drops nothing that the locked journal may need.
        try alice.synchronize()
        alice.keys.locked = []
        try alice.read()
        #expect((1...3).map { alice.value($0) } == [10, 20, 30])
    }

    @Test func `a locked device does not read a circle for the first time`() throws {
        let carol = try SyncMember(joining: alice)
        try alice.synchronize()
        try carol.takeEntries()
        try bob.write(1, 10, tier: .unlocked)
        try bob.publish()
        carol.keys.locked = [.unlocked]
        #expect(throws: KeychainError(.interactionNotAllowed, "")) { try carol.read() }
        #expect(carol.items.isEmpty)
        carol.keys.locked = []
        try carol.read()
        #expect(carol.value(1) == 10)
    }

    @Test func `a false floor of the stamps goes with the device that has signed it`() throws {
        site.post(try head { $0.stampFloor = Record.stampBound - 1 })
        try alice.read()
        #expect(throws: SyncRefusal.outOfRange) { try alice.write(1, 10) }
        site.post(try alice.replica.remove(bob.keys.id, keys: alice.keys))
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
        let founding = try #require(carol.replica.circle.entries.first)
        carol.replica = Replica(of: carol.keys.id, in: try Circle(founding: founding), required: [])
        // Bob's journal is withheld; Alice's says that she has read it.
        let journal = try #require(bob.replica.own?.id)
        let head = site.heads.removeValue(forKey: journal)
        try carol.takeEntries()
        try carol.read()
        #expect(carol.replica.phase != .member)
        // The owner may decide that it is lost.
        let older = try SyncMember(copying: carol)
        older.replica.acceptOlder()
        try older.read()
        #expect(older.replica.phase == .member)
        site.post(head)
        try carol.read()
        #expect(carol.value(1) == 10)
    }

    @Test func `a newcomer waits for a journal whose epoch it was not given yet`() throws {
        try alice.write(1, 10)
        try settle()
        let circle = alice.replica.circle
        let before = try alice.replica.writingEpoch()
        // Bob does not know of Alice's new epoch when he adds Carol, and says nothing of what he has read.
        let keys = try SyncDevice()
        let addition = try bob.keys.adding(keys, to: circle.id, after: circle.frontier, epochs: [before])
        try post(
            try alice.keys.beginEpoch(for: [alice, bob].map(\.keys.card), earlier: [before], in: circle.id),
            by: alice
        )
        try settle()
        #expect(try alice.replica.writingEpoch() != before)
        try alice.write(2, 20)
        try alice.publish()
        site.post([addition])
        let carol = try SyncMember(of: keys, in: circle, on: site)
        let heads = site.heads
        site.heads = heads.filter { $0.key == alice.replica.own?.id }
        try carol.takeEntries()
        #expect(try Array(carol.plan().refused.values) == [.notOpened])
        try carol.read()
        #expect(carol.replica.phase != .member)
        site.heads = heads
        try settle([carol])
        #expect(carol.replica.phase == .member)
        #expect([1, 2].map(carol.value) == [10, 20])
    }

    /// It counts, though its author is gone. So a newcomer waits until its device has written all of it into another one.
    @Test func `an end of a journal by a former member does not make the journal dispensable for a newcomer`() throws {
        let mallory = try group.join()
        let time = alice.replica.circle.frontier
        let old = site.heads
        try alice.write(1, 10)
        try settle([mallory])
        site.post(try alice.replica.remove(mallory.keys.id, keys: alice.keys))
        try settle()
        let carol = try SyncMember(joining: alice)
        try alice.synchronize()
        // With an earlier date, and a transport that shows Alice's head of that time.
        let own = try #require(alice.replica.own)
        let end = Ending(of: alice.keys.id, salt: own.salt, at: 1, own.history[0])
        site.post([try mallory.keys.entry(.end([end]), in: alice.replica.circle.id, after: time)])
        site.heads[own.id] = old[own.id]
        try carol.takeEntries()
        try carol.read()
        #expect(carol.replica.phase != .member)
        #expect(carol.items.isEmpty)
        try settle()
        #expect(alice.replica.own?.id != own.id)
        try carol.takeEntries()
        try carol.read()
        #expect(carol.value(1) == 10)
    }

    @Test func `a newcomer that does not know its own addition believes no head: its author may have been removed`()
        throws
    {
        let mallory = try group.join()
        site.post(try alice.replica.remove(mallory.keys.id, keys: alice.keys))
        try settle()
        let carol = try SyncMember(joining: alice)
        try alice.synchronize()
        carol.replica.acceptOlder()
        try mallory.write(1, 66)
        try mallory.publish()
        // The transport withholds the removal, and with it all that was built on it.
        let known = mallory.replica.circle.entries
        _ = try carol.replica.insert(known, keys: carol.keys)
        try carol.read()
        #expect(carol.replica.phase != .member)
        try carol.takeEntries()
        try carol.read()
        #expect(carol.replica.phase == .member)
        #expect(carol.value(1) == nil)
    }

    /// Nobody will ever believe its head, so there is nothing to wait for.
    @Test func `a newcomer does not wait for a device whose addition does not count any more`() throws {
        let mallory = try liar()
        let dave = try SyncMember(joining: mallory)
        // Bob does not hear of it, and removes the device that has added it.
        for _ in 0..<3 { for member in [mallory, dave, alice] { try member.synchronize() } }
        #expect(dave.replica.phase == .member)
        let carol = try SyncMember(joining: alice)
        site.post(try bob.replica.remove(mallory.keys.id, keys: bob.keys))
        try settle([carol])
        #expect(alice.replica.circle.state.members[dave.keys.id] == nil)
        #expect(carol.replica.phase == .member)
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
        site.post(try alice.replica.remove(bob.keys.id, keys: alice.keys))
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

    @Test func `entries that wait for parents that never come are not kept`() throws {
        let flood = try (0..<2_000).map { number in
            let parent = SyncHash(of: [UInt8(number & 255), UInt8(number >> 8)])
            return try bob.keys.entry(.floor(1), in: alice.replica.circle.id, after: [parent])
        }
        let before = alice.replica.circle.entries.count
        #expect(try alice.replica.insert(flood, keys: alice.keys).missing.count == 2_000)
        #expect(alice.replica.circle.entries.count == before)
        try alice.write(1, 10)
        try settle()
        #expect(bob.value(1) == 10)
    }

    // MARK: - A member who lies

    /// A member of the circle who signs what its code would not.
    private func liar() throws -> SyncMember { try group.join() }

    @Test func `an epoch that its author keeps for itself stops nobody, also after the author is removed`() throws {
        let mallory = try liar()
        let before = try alice.replica.writingEpoch()
        let secrets = try mallory.keys.beginEpoch(for: [mallory.keys.card], earlier: [], in: alice.replica.circle.id)
        try post(secrets, by: mallory)
        try settle()
        #expect(try alice.replica.writingEpoch() == before)
        site.post(try alice.replica.remove(mallory.keys.id, keys: alice.keys))
        try settle()
        try expectAgreement()
    }

    @Test func `an epoch whose secret was not what was wrapped for a member is left by that member, and by the others`()
        throws
    {
        let mallory = try liar()
        let before = try alice.replica.writingEpoch()
        let circle = alice.replica.circle.id
        var secrets = try mallory.keys.beginEpoch(for: [alice.keys.card], earlier: [before], in: circle)
        let id = try #require(secrets.wraps.first?.epoch)
        let other = try mallory.keys.beginEpoch(for: [bob.keys.card], earlier: [], in: circle)
        let junk = try #require(other.wraps.first)
        let mine = try mallory.keys.wrap([id], for: mallory.keys.card, in: circle)
        let wrong = EpochWrap(epoch: id, recipient: bob.keys.id, key: junk.key)
        secrets = EpochSecrets(wraps: secrets.wraps + mine + [wrong], earlier: secrets.earlier)
        try post(secrets, by: mallory)
        try alice.synchronize()
        #expect(try alice.replica.writingEpoch() == id)
        try alice.write(7, 70)
        try settle([mallory])
        #expect(try bob.replica.writingEpoch() != id)
        #expect(try alice.replica.writingEpoch() == bob.replica.writingEpoch())
        // What Alice had sealed under it is sealed once more.
        #expect(bob.value(7) == 70)
        try expectAgreement()
        site.post(try alice.replica.remove(mallory.keys.id, keys: alice.keys))
        try settle()
        try expectAgreement()
    }

    @Test
    func `a member says that it was given another secret also where a liar has left that epoch, for one without use`()
        throws
    {
        let mallory = try liar()
        let members = [alice, bob, mallory].map(\.keys.card)
        let spoiled = try spoil(for: [alice.keys.card], by: mallory)
        try mallory.takeEntries()
        // Nobody writes under that.
        let secrets = try mallory.keys.beginEpoch(for: members, earlier: [], in: alice.replica.circle.id)
        try post(secrets, by: mallory, nameKey: SecretBytes([UInt8](repeating: 66, count: 32)))
        try alice.synchronize()
        #expect(try alice.replica.writingEpoch() == spoiled)
        try alice.write(7, 70)
        try settle([mallory])
        #expect(bob.value(7) == 70)
        try expectAgreement()
    }

    @Test func `a member says that it was given another secret also where that epoch is good no more`() throws {
        let (mallory, carol) = (try liar(), try group.join())
        try settle([mallory, carol])
        let spoiled = try spoil(for: [alice, carol].map(\.keys.card), by: mallory)
        // Bob does not know it when he removes Carol, who has its secret, and begins another.
        site.post(try bob.replica.remove(carol.keys.id, keys: bob.keys))
        try bob.synchronizeJournals()
        let removal = site.entries.filter { bob.replica.circle.has($0.key) && !alice.replica.circle.has($0.key) }
        for hash in removal.keys { site.entries[hash] = nil }
        try alice.synchronize()
        #expect(try alice.replica.writingEpoch() == spoiled)
        try alice.write(7, 70)
        site.post(Array(removal.values))
        try settle([mallory])
        #expect(bob.value(7) == 70)
        try expectAgreement()
    }

    /// Begins an epoch of which Bob is given another secret.
    private func spoil(for others: [DeviceCard], by liar: SyncMember) throws -> EpochID {
        let circle = alice.replica.circle.id
        let secrets = try liar.keys.beginEpoch(for: others + [liar.keys.card], earlier: [], in: circle)
        let id = try #require(secrets.wraps.first?.epoch)
        let other = try #require(try liar.keys.beginEpoch(for: [bob.keys.card], earlier: [], in: circle).wraps.first)
        let wrong = EpochWrap(epoch: id, recipient: bob.keys.id, key: other.key)
        try post(EpochSecrets(wraps: secrets.wraps + [wrong]), by: liar)
        return id
    }

    @Test func `an epoch without the circle's name key is written under by nobody`() throws {
        let mallory = try liar()
        let members = [alice, bob, mallory].map(\.keys.card)
        let secrets = try mallory.keys.beginEpoch(for: members, earlier: [], in: alice.replica.circle.id)
        try post(secrets, by: mallory, nameKey: SecretBytes([UInt8](repeating: 66, count: 32)))
        try settle([mallory])
        #expect(try alice.replica.writingEpoch() != secrets.wraps.first?.epoch)
        try expectAgreement()
        let carol = try SyncMember(joining: alice)
        for _ in 0..<3 { try settle([carol]) }
        #expect(carol.replica.nameKey(carol.keys) != nil)
    }

    /// Signs an epoch for a member who lies.
    private func post(_ secrets: EpochSecrets, by liar: SyncMember, nameKey: SecretBytes? = nil) throws {
        let circle = liar.replica.circle.id
        let id = try #require(secrets.wraps.first?.epoch)
        let key = try nameKey ?? #require(liar.replica.nameKey(liar.keys)).secret
        let box = try liar.keys.seal(
            key,
            for: .afterFirstUnlock,
            in: id,
            authenticating: EpochDescription.nameKeyData(in: circle, id)
        )
        let body = EntryBody.epoch(EpochDescription(id: id, secrets: secrets, nameKey: box))
        site.post([try liar.keys.entry(body, in: circle, after: liar.replica.circle.frontier)])
    }

    /// Alice and Bob write, and read it of each other.
    private func expectAgreement() throws {
        try alice.write(8, 80)
        try bob.write(9, 90)
        try settle()
        #expect(bob.value(8) == 80)
        #expect(alice.value(9) == 90)
        for member in [alice, bob] {
            try member.write(8, nil)
            try member.write(9, nil)
        }
        try settle()
    }

    @Test func `who has left cannot compare later items with a guess: their digest has a key of its epoch`() throws {
        try alice.write(1, 10)
        try settle()
        let before = try #require(bob.replica.own?.head).contents
        let digest = bob.replica.itemsDigest
        #expect(try bob.keys.code(of: digest, in: before.epoch) == before.digest)
        site.post(try alice.replica.remove(bob.keys.id, keys: alice.keys))
        try alice.synchronize()
        let after = try #require(alice.replica.own?.head).contents
        #expect(alice.replica.itemsDigest == digest)
        #expect(after.digest != before.digest)
        #expect(throws: KeychainError(.itemNotFound, "")) { try bob.keys.code(of: digest, in: after.epoch) }
    }

    @Test func `a member that opens any number of journals is read in a few of them`() throws {
        let mallory = try liar()
        for _ in 0..<20 {
            var contents = try #require(mallory.replica.own?.head).contents
            let salt = SyncMember.name()
            let journal = JournalID(ofJournalOf: mallory.keys.id, salt: salt)
            let segment = Segment(
                Segment.Header(circle: contents.circle, journal: journal, number: 1, previous: .zero),
                boxes: []
            )
            contents.salt = salt
            contents.tip = segment.point
            contents.base = 0
            contents.read = []
            contents.readAtBase = []
            site.post([segment])
            site.post(try Head(contents) { (statement) throws(KeychainError) in try mallory.keys.sign(statement) })
        }
        let plan = try alice.plan()
        #expect(plan.refused.count == 21 - Replica.mostLive)
        #expect(Set(plan.refused.values) == [.tooLarge])
        try settle()
        try expectAgreement()
    }

    @Test func `ends of journals that nobody can read are shortened by their device after a day`() throws {
        let mallory = try liar()
        let end = Ending(of: bob.keys.id, salt: SyncMember.name(), at: 5, SyncHash(of: [5]))
        site.post([
            try mallory.keys.entry(.end([end]), in: alice.replica.circle.id, after: mallory.replica.circle.frontier)
        ])
        for member in [alice, bob] { try member.takeEntries() }
        #expect(alice.replica.unreadEnds == [end])
        #expect(!alice.replica.isSettled)
        for _ in 0..<6 {
            for member in [alice, bob] { member.clock += Replica.longestStep }
            try settle()
        }
        #expect(alice.replica.unreadEnds.isEmpty)
        #expect(alice.replica.isSettled)
    }

    @Test func `the owner gives up what nobody can read, where the device does not come back`() throws {
        let end = Ending(of: bob.keys.id, salt: SyncMember.name(), at: 5, SyncHash(of: [5]))
        site.post([try bob.keys.entry(.end([end]), in: alice.replica.circle.id, after: bob.replica.circle.frontier)])
        try alice.synchronize()
        #expect(!alice.replica.isSettled)
        site.post(try alice.replica.giveUp([end.journal], keys: alice.keys))
        try alice.synchronize()
        #expect(alice.replica.isSettled)
        #expect(try alice.replica.giveUp([end.journal], keys: alice.keys).isEmpty)
    }

    @Test func `more entries at once than one can name are merged, and all are read`() throws {
        let time = bob.replica.circle.frontier
        for _ in 0..<40 {
            let end = Ending(of: bob.keys.id, salt: SyncMember.name(), at: 0, .zero)
            site.post([try bob.keys.entry(.end([end]), in: alice.replica.circle.id, after: time)])
        }
        try settle()
        #expect(alice.replica.circle.frontier.count <= Entry.mostParents)
        try expectAgreement()
        let carol = try SyncMember(joining: alice)
        try settle([carol])
        #expect(carol.replica.phase == .member)
    }

    // MARK: - Formats

    @Test func `a circle that has left this code's formats is neither read nor written, and who lied can be removed`()
        throws
    {
        let mallory = try liar()
        let floor = EntryBody.floor(60_000)
        site.post([try mallory.keys.entry(floor, in: alice.replica.circle.id, after: mallory.replica.circle.frontier)])
        try bob.write(1, 10)
        try bob.publish()
        try alice.takeEntries()
        #expect(throws: SyncRefusal.unknownVersion(60_000)) { try alice.write(2, 20) }
        #expect(throws: SyncRefusal.unknownVersion(60_000)) { try alice.publish() }
        #expect(Set(try alice.plan().refused.values) == [.unknownVersion(60_000)])
        try alice.read()
        #expect(alice.value(1) == nil)
        site.post(try alice.replica.remove(mallory.keys.id, keys: alice.keys))
        try settle()
        #expect(alice.value(1) == 10)
        try expectAgreement()
    }

    // MARK: - Clocks

    @Test func `a clock that jumps a year ahead ends nothing that is not silent`() throws {
        let copy = try SyncMember(copying: alice)
        try settle([copy])
        try settle([copy])
        let journals = Set([alice, copy].compactMap { $0.replica.own?.id })
        #expect(journals.count == 2)
        alice.clock += 365 * 86_400_000
        try settle([copy])
        #expect(Set([alice, copy].compactMap { $0.replica.own?.id }) == journals)
        // It is silent for a month.
        for _ in 0..<124 {
            alice.clock += Replica.longestStep
            try alice.synchronize()
        }
        #expect(alice.replica.circle.state.end(of: try #require(copy.replica.own?.id), by: alice.keys.id) != nil)
    }

    // MARK: - Damage

    @Test func `one damaged item keeps no other one from being taken over, and is read again from another journal`()
        throws
    {
        try bob.write(1, 10)
        try bob.write(2, 20)
        try settle()
        alice.items[SyncMember.item(1)] = nil
        site.post(try alice.replica.remove(bob.keys.id, keys: alice.keys))
        site.post(try alice.replica.keepUp(clock: alice.clock, keys: alice.keys))
        let rewriting = try alice.replica.adopt(salt: SyncMember.name(), keys: alice.keys) { alice.items[$0] }
        site.post(rewriting.segments)
        #expect(rewriting.damaged == [SyncMember.item(1)])
        // A head is signed, and says that something of the ended journal is not in one that goes on.
        try alice.synchronize()
        #expect(alice.replica.own?.head?.contents.isSettled == false)
        let found = try alice.replica.repaired(rewriting.damaged, keys: alice.keys) { site.segments[$0] }
        for (name, item) in found { alice.items[name] = item.record.item }
        #expect(alice.value(1) == 10)
        try alice.synchronize()
        #expect(alice.replica.own?.head?.contents.isSettled == true)
        #expect(try alice.compact().isEmpty)
    }

    @Test func `a locked device does not take for lost what it cannot open now`() throws {
        try bob.write(1, 10, tier: .unlocked)
        try settle()
        alice.items[SyncMember.item(1)] = nil
        alice.keys.locked = [.unlocked]
        #expect(throws: KeychainError(.interactionNotAllowed, "")) {
            try alice.replica.repaired([SyncMember.item(1)], keys: alice.keys) { site.segments[$0] }
        }
        alice.keys.locked = []
        let found = try alice.replica.repaired([SyncMember.item(1)], keys: alice.keys) { site.segments[$0] }
        #expect(Array(found.keys) == [SyncMember.item(1)])
    }

    /// Somebody ends Alice's journal, so that she begins anew.
    private func endAlicesJournal() throws {
        let own = try #require(alice.replica.own)
        let end = Ending(of: alice.keys.id, salt: own.salt, at: own.tip.number, own.tip.hash)
        site.post([try bob.keys.entry(.end([end]), in: alice.replica.circle.id, after: bob.replica.circle.frontier)])
        try alice.takeEntries()
        site.post(try alice.replica.keepUp(clock: alice.clock, keys: alice.keys))
        #expect(alice.replica.phase != .member)
    }

    @Test func `nothing is forgotten while a device reads the circle, nor before a day is over, and no deletion ever`()
        throws
    {
        try alice.write(1, 10)
        try alice.write(2, 20)
        try settle()
        try alice.write(2, nil)
        try settle()
        let names = Set([1, 2].map(SyncMember.item))
        alice.replica.forget(names)
        #expect(Set(alice.replica.items.keys) == names)
        try endAlicesJournal()
        alice.replica.forget(names)
        #expect(Set(alice.replica.items.keys) == names)
        site.post(try bob.replica.remove(alice.keys.id, keys: bob.keys))
        try bob.takeEntries()
        bob.replica.forget(names)
        // The transport may withhold it for a while.
        #expect(Set(bob.replica.items.keys) == names)
        for _ in 0..<5 {
            bob.clock += Replica.longestStep
            bob.replica.pass(bob.clock)
        }
        bob.replica.forget(names)
        #expect(Array(bob.replica.items.keys) == [SyncMember.item(2)])
    }

    @Test func `a plan that was made before a device began anew is no first reading`() throws {
        try bob.write(1, 10)
        try bob.publish()
        let plan = try alice.plan()
        #expect(!plan.isEmpty)
        try endAlicesJournal()
        #expect(alice.replica.execute(plan, clock: alice.clock).changed.isEmpty)
        #expect(alice.replica.phase != .member)
        try settle()
        #expect(alice.value(1) == 10)
    }
}
