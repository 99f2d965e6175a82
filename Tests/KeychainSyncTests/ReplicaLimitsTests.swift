import KeychainModel
import KeychainSync
import Testing

/// How much others can make a device do, and what it leaves out then.
@Suite("What devices take of each other, and no more")
struct ReplicaLimitsTests {
    private let group: SyncGroup
    private var site: SyncSite { group.site }
    private var alice: SyncMember { group.alice }
    private var bob: SyncMember { group.bob }

    init() throws { group = try SyncGroup() }

    private func settle(_ more: [SyncMember] = []) throws { try group.settle(more) }

    private func ending(of member: SyncMember, at number: UInt64) -> Ending {
        Ending(of: member.keys.id, salt: SyncMember.name(), at: number, SyncHash(of: [1]))
    }

    /// An entry that one device signs after what another one knows.
    private func post(_ ends: [Ending], by author: SyncMember, after frontier: [EntryHash]) throws {
        site.post([try author.keys.entry(.end(ends), in: author.replica.circle.id, after: frontier)])
    }

    private func endWholeJournal(of member: SyncMember, by author: SyncMember, after frontier: [EntryHash]) throws
        -> Ending
    {
        let own = try #require(member.replica.own)
        let end = Ending(of: member.keys.id, salt: own.salt, at: own.tip.number, own.tip.hash)
        try post([end], by: author, after: frontier)
        return end
    }

    // MARK: - What is written

    @Test func `what helps others stops at half of a device's share, and what it needs itself does not`() throws {
        let disk = (alice.replica, alice.items)
        try alice.write(1, 10)
        try settle()
        for _ in 0..<Circle.mostByAuthor / 2 {
            try post([ending(of: alice, at: 0)], by: alice, after: alice.replica.circle.frontier)
            try alice.takeEntries()
        }
        // Two heads of Bob's with one counter.
        try alice.synchronize()
        var contents = try #require(bob.replica.own?.head).contents
        contents.clock += 1
        site.post(try Head(contents) { (statement) throws(KeychainError) in try bob.keys.sign(statement) })
        try alice.synchronize()
        #expect(alice.replica.circle.state.end(of: contents.journal, by: bob.keys.id) == nil)
        // Her disk is set back, and that she has to tell.
        let journal = try #require(alice.replica.own?.id)
        (alice.replica, alice.items) = disk
        try alice.synchronize()
        #expect(alice.replica.circle.state.end(of: journal, by: alice.keys.id) != nil)
    }

    @Test func `a device writes no more after a base than others read at one time, and another base makes room`() throws
    {
        bob.replica = bob.replica.unchecked(longestReading: 20_000)
        var written: UInt8 = 0
        #expect(throws: SyncRefusal.tooLarge) {
            while written < 100 {
                try bob.write(1, written)
                written += 1
            }
        }
        #expect(written > 5)
        try settle()
        #expect(alice.value(1) == written - 1)
        try bob.compact()
        try bob.write(1, 200)
        try settle()
        #expect(alice.value(1) == 200)
    }

    @Test func `of a journal no more is read at one time than there is a bound for, from its base on`() throws {
        alice.replica = alice.replica.unchecked(longestReading: 20_000)
        for value in 0..<100 { try bob.write(1, UInt8(value)) }
        try bob.publish()
        let journal = try #require(bob.replica.own?.id)
        #expect(try alice.plan().refused == [journal: .tooLarge])
        try alice.read()
        #expect(alice.value(1) == nil)
        try bob.compact()
        try bob.publish()
        try settle()
        #expect(alice.value(1) == 99)
    }

    @Test func `a journal with 9,000 segments is ended, and its device begins another with all that is current`() throws
    {
        let journal = try #require(alice.replica.own?.id)
        try alice.write(2, 20)
        for number in 0..<9_000 { try alice.write(1, UInt8(number & 127)) }
        try settle()
        #expect(alice.replica.circle.state.end(of: journal, by: alice.keys.id) != nil)
        let own = try #require(alice.replica.own)
        #expect(own.id != journal)
        #expect(own.tip.number < 10)
        for member in [alice, bob] {
            #expect(member.value(1) == UInt8(8_999 & 127))
            #expect(member.value(2) == 20)
        }
    }

    @Test func `a removal of a device with more journals than it can name names those that go on`() throws {
        var salts = (0..<Removal.mostEnds + Replica.mostLive).map { _ in SyncMember.name() }
        // Those that go on come last by name.
        salts.sort { JournalID(ofJournalOf: bob.keys.id, salt: $0) < JournalID(ofJournalOf: bob.keys.id, salt: $1) }
        let others = Replica.mostLive - 1
        for start in stride(from: 0, to: salts.count, by: others) {
            let some = salts[start..<min(start + others, salts.count)]
            let ends = try some.map { try publishJournal($0) }
            try alice.read()
            guard start + others < salts.count else { break }
            try post(ends.sorted { $0.journal < $1.journal }, by: bob, after: bob.replica.circle.frontier)
            try bob.takeEntries()
            try alice.takeEntries()
        }
        let live = alice.replica.journals.filter { alice.replica.circle.state.end(of: $0.key, by: bob.keys.id) == nil }
        #expect(alice.replica.journals.count > Removal.mostEnds)
        site.post(try alice.replica.remove(bob.keys.id, keys: alice.keys))
        for (id, journal) in live {
            let end = try #require(alice.replica.circle.state.end(of: id, by: bob.keys.id))
            #expect(end.number == UInt64(journal.history.count))
        }
    }

    /// Another journal of Bob's, with one empty segment.
    private func publishJournal(_ salt: SyncName) throws -> Ending {
        var contents = try #require(bob.replica.own?.head).contents
        let journal = JournalID(ofJournalOf: bob.keys.id, salt: salt)
        let header = Segment.Header(circle: contents.circle, journal: journal, number: 1, previous: .zero)
        let segment = Segment(header, boxes: [])
        contents.salt = salt
        contents.tip = segment.point
        contents.base = 0
        contents.read = []
        contents.readAtBase = []
        site.post([segment])
        site.post(try Head(contents) { (statement) throws(KeychainError) in try bob.keys.sign(statement) })
        return Ending(of: bob.keys.id, salt: salt, at: 1, segment.hash)
    }

    // MARK: - What is read

    @Test func `an end that no journal can reach is not looked for`() throws {
        let (last, beyond) = (ending(of: bob, at: 10_001), ending(of: bob, at: 10_002))
        let ends = [last, beyond].sorted { $0.journal < $1.journal }
        try post(ends, by: bob, after: bob.replica.circle.frontier)
        try alice.takeEntries()
        #expect(try alice.plan().missing == [last.point])
    }

    @Test func `a journal that cannot be read keeps tombstones, until its device is removed`() throws {
        let mallory = try group.join()
        try alice.write(1, 10)
        try settle([mallory])
        try bob.write(1, nil)
        // Its segments are kept back: who wrote it may not have read the tombstone.
        var contents = try #require(mallory.replica.own?.head).contents
        contents.salt = SyncMember.name()
        contents.tip = JournalPoint(
            journal: JournalID(ofJournalOf: mallory.keys.id, salt: contents.salt),
            number: 1,
            hash: SyncHash(of: [1])
        )
        site.post(try Head(contents) { (statement) throws(KeychainError) in try mallory.keys.sign(statement) })
        for _ in 0..<2 {
            try settle([mallory])
            for member in [alice, bob, mallory] { try member.compact() }
        }
        try settle([mallory])
        #expect(alice.tombstones() == 1)
        site.post(try alice.replica.remove(mallory.keys.id, keys: alice.keys))
        try settle()
        for member in [alice, bob] { try member.compact() }
        try settle()
        #expect(alice.tombstones() == 0)
    }

    /// They may have dropped a tombstone of what is in it.
    @Test(arguments: [false, true])
    func `a device that begins anew takes records of its former journal, unless others have taken over all of it`(
        isTaken: Bool
    ) throws {
        try alice.write(1, 10)
        try settle()
        let journal = try #require(alice.replica.own?.id)
        _ = try endWholeJournal(of: alice, by: bob, after: bob.replica.circle.frontier)
        // Otherwise the newest head of Bob's does not know how her journal has ended.
        if isTaken { for _ in 0..<2 { try bob.synchronize() } }
        #expect(bob.replica.circle.state.endings.isEmpty == !isTaken)
        try alice.takeEntries()
        site.post(try alice.replica.keepUp(clock: alice.clock, keys: alice.keys))
        #expect(alice.replica.phase != .member)
        try alice.read()
        #expect(alice.replica.phase == .member)
        #expect(alice.value(1) == 10)
        #expect(alice.replica.items[SyncMember.item(1)]?.carriers[journal] == (isTaken ? nil : 2))
    }

    // MARK: - What heads say

    /// Readers do not know whether such a journal is there at all.
    @Test func `a settled head names ends that only former members have signed, and no others`() throws {
        let mallory = try group.join()
        let time = mallory.replica.circle.frontier
        try alice.write(1, 10)
        site.post(try alice.replica.remove(mallory.keys.id, keys: alice.keys))
        try settle()
        let former = try endWholeJournal(of: alice, by: mallory, after: time)
        try settle()
        var head = try #require(bob.replica.own?.head).contents
        #expect(head.isSettled)
        #expect(head.read.contains(former.point))
        let members = try endWholeJournal(of: alice, by: bob, after: bob.replica.circle.frontier)
        try settle()
        head = try #require(bob.replica.own?.head).contents
        #expect(head.isSettled)
        #expect(head.read.contains(former.point))
        #expect(!head.read.contains(members.point))
        #expect(alice.value(1) == 10)
    }
}
