import KeychainModel
import KeychainSync
import Testing

/// Devices that leave one rule out, in the situation that the rule is for. Random schedules hardly ever come there.
@Suite("Rules of synchronization, left out one by one")
struct SyncRuleTests {
    struct Need: Sendable, CustomStringConvertible {
        let description: String
        let rule: SyncRules
        /// Whether devices with these rules disagree, lose something, or get something back.
        let harm: @Sendable (SyncRules) throws -> Bool
    }

    @Test(arguments: [
        Need(description: "stamps after what was dropped", rule: .laterThanDropped, harm: writtenAfterDropping),
        Need(description: "stamps after what others have dropped", rule: .sharedFloor, harm: writtenByNewcomer),
        Need(description: "bases that everybody has read", rule: .basesAreRead, harm: removedBeforeItsBase),
        Need(description: "marks with hashes", rule: .hashedMarks, harm: markOfAnotherHistory),
        Need(description: "members whom everybody knows", rule: .knownByAll, harm: droppedBeforeNewcomer),
        Need(description: "ended journals that were read", rule: .endedWereRead, harm: readAfterDropping),
        Need(description: "ends of journals with two histories", rule: .forks, harm: twoHistories),
        Need(description: "a cut that is closed", rule: .closedCut, harm: partOfCircle),
        Need(description: "a cut with all journals that are there", rule: .closedCut, harm: headWithoutSegments),
        Need(description: "journals that others have taken over", rule: .settledAreSkipped, harm: lostJournal),
    ])
    func `without a rule something goes wrong, and with it nothing does`(need: Need) throws {
        #expect(try need.harm(.all.subtracting(need.rule)))
        #expect(try !need.harm(.all))
    }

    // MARK: - Stamps

    /// Alice has dropped a tombstone and Bob has not, and her clock is behind.
    private static func writtenAfterDropping(_ rules: SyncRules) throws -> Bool {
        let group = try SyncGroup(rules)
        let (alice, bob) = (group.alice, group.bob)
        try alice.write(1, 10)
        try group.settle()
        try bob.write(1, nil)
        try group.settle()
        for member in [alice, bob] { try member.publishBase() }
        for _ in 0..<2 {
            for member in [alice, bob] {
                try member.read()
                try member.publish()
            }
        }
        _ = alice.replica.collect()
        #expect(alice.tombstones() == 0)
        #expect(bob.tombstones() == 1)
        try alice.write(1, 11, at: SyncSite.clock - 1_000_000)
        try alice.publish()
        try group.settle()
        return bob.value(1) != 11
    }

    /// Everybody but Dave has dropped a tombstone, and somebody joins whose clock is behind.
    private static func writtenByNewcomer(_ rules: SyncRules) throws -> Bool {
        let group = try SyncGroup(rules)
        let (alice, bob, dave) = (group.alice, group.bob, try group.join())
        try alice.write(1, 10)
        try group.settle([dave])
        try bob.write(1, nil)
        try group.settle([dave])
        for member in [alice, bob, dave] { try member.compact() }
        for _ in 0..<3 {
            for member in [alice, bob, dave] {
                try member.read()
                try member.publish()
            }
        }
        for member in [alice, bob] { _ = member.replica.collect() }
        #expect(alice.tombstones() + bob.tombstones() == 0)
        #expect(dave.tombstones() == 1)
        for member in [alice, bob] { try member.publishBase() }
        let carol = try group.newcomer(of: alice)
        for _ in 0..<2 {
            for member in [alice, bob, carol] { try member.synchronize() }
        }
        try carol.write(1, 11, at: SyncSite.clock - 1_000_000)
        try carol.publish()
        try dave.synchronize()
        return dave.value(1) != 11
    }

    // MARK: - Tombstones

    /// Carol has not read the base of Alice's that came after a deletion, and removes Alice.
    private static func removedBeforeItsBase(_ rules: SyncRules) throws -> Bool {
        let group = try SyncGroup(rules)
        let (alice, bob, carol) = (group.alice, group.bob, try group.join())
        try alice.write(1, 10)
        try group.settle([carol])
        try bob.write(1, nil)
        try bob.publish()
        for member in [alice, carol] { try member.read() }
        for member in [bob, carol] { try member.publishBase() }
        for member in [bob, carol] { try member.read() }
        try carol.publish()
        try alice.compact()
        for _ in 0..<2 {
            for member in [alice, bob] { try member.synchronize() }
        }
        try bob.publishBase()
        // She says how far Alice's journal counts: to where it has the item.
        group.site.post(try carol.replica.remove(alice.keys.id, keys: carol.keys))
        try bob.takeEntries()
        group.site.post(try bob.replica.keepUp(clock: bob.clock, keys: bob.keys))
        let dave = try group.newcomer(of: bob)
        for _ in 0..<3 { try dave.synchronize() }
        #expect(dave.replica.phase == .member)
        return dave.value(1) != nil
    }

    /// Bob's base has an item, and was written when he had read another history of Mallory's journal than the one with the deletion.
    private static func markOfAnotherHistory(_ rules: SyncRules) throws -> Bool {
        let group = try SyncGroup(rules)
        let (alice, bob, mallory) = (group.alice, group.bob, try group.join())
        try bob.write(1, 10)
        try group.settle([mallory])
        let copy = try SyncMember(copying: mallory)
        try mallory.write(1, nil)
        try mallory.publish()
        try alice.read()
        try copy.write(2, 20)
        try copy.publish()
        try bob.read()
        for member in [alice, bob] { try member.publishBase() }
        group.site.post(try alice.replica.remove(mallory.keys.id, keys: alice.keys))
        try group.settle()
        #expect(bob.value(1) == nil)
        try alice.compact()
        try group.settle()
        let dave = try group.newcomer(of: alice)
        try group.settle([dave])
        #expect(dave.replica.phase == .member)
        return dave.value(1) != nil
    }

    /// Alice adds Dave before she reads a deletion, and the transport shows Bob no entries.
    private static func droppedBeforeNewcomer(_ rules: SyncRules) throws -> Bool {
        let group = try SyncGroup(rules)
        let (alice, bob) = (group.alice, group.bob)
        try alice.write(1, 10)
        try group.settle()
        let dave = try group.newcomer(of: alice)
        for _ in 0..<2 {
            for member in [alice, dave] { try member.synchronize() }
        }
        #expect(dave.value(1) == 10)
        try bob.write(1, nil)
        try bob.publish()
        try alice.synchronize()
        for member in [alice, bob] { try member.publishBase() }
        for _ in 0..<3 {
            for member in [alice, bob] { try member.synchronizeJournals() }
        }
        try bob.publishBase()
        try group.settle([dave])
        return [alice, bob, dave].contains { $0.value(1) != nil }
    }

    /// Mallory was removed, and the end of her journal has an item that was deleted since. Nobody says that it is taken over,
    /// since Carol's database is damaged.
    private static func readAfterDropping(_ rules: SyncRules) throws -> Bool {
        let group = try SyncGroup(rules)
        let (alice, bob, carol) = (group.alice, group.bob, try group.join())
        let mallory = try group.newcomer(of: alice)
        try group.settle([carol, mallory])
        try alice.write(1, 10)
        try group.settle([carol, mallory])
        let own = try #require(mallory.replica.own)
        try mallory.write(1, 11)
        try mallory.write(2, 20)
        try mallory.publish()
        try carol.read()
        let withheld = group.withhold(own.id, from: own.tip.number + 1)
        carol.items[SyncMember.item(2)] = nil
        try carol.write(1, nil)
        group.site.post(try carol.replica.remove(mallory.keys.id, keys: carol.keys))
        for _ in 0..<2 {
            try group.settle([carol])
            for member in [alice, bob, carol] { try member.compact() }
        }
        try group.settle([carol])
        for (point, bytes) in withheld { group.site.segments[point] = bytes }
        try group.settle([carol])
        return [alice, bob].contains { $0.value(1) != nil }
    }

    // MARK: - Journals

    /// Alice and Bob were each shown another history of one journal.
    private static func twoHistories(_ rules: SyncRules) throws -> Bool {
        let group = try SyncGroup(rules)
        let (alice, bob, mallory) = (group.alice, group.bob, try group.join())
        let copy = try SyncMember(copying: mallory)
        try mallory.write(1, 10)
        try mallory.publish()
        try alice.read()
        try copy.write(2, 20)
        try copy.publish()
        try bob.read()
        for member in [alice, bob] { try member.publish() }
        try group.settle()
        return [1, 2].contains { alice.value($0) != bob.value($0) }
    }

    /// A newcomer is shown a head that has read more than is shown.
    private static func partOfCircle(_ rules: SyncRules) throws -> Bool {
        let group = try SyncGroup(rules)
        let bob = group.bob
        let carol = try recovered(in: group, rules)
        try bob.write(1, 10)
        try group.settle()
        let journal = try #require(bob.replica.own?.id)
        group.site.heads[journal] = nil
        try carol.takeEntries()
        try carol.read()
        return carol.replica.phase == .member && carol.value(1) == nil
    }

    /// Alice has taken over what Bob wrote, has deleted it, and has dropped the tombstone. A newcomer sees her head before her
    /// segments.
    private static func headWithoutSegments(_ rules: SyncRules) throws -> Bool {
        let group = try SyncGroup(rules)
        let (alice, bob) = (group.alice, group.bob)
        try bob.write(1, 10)
        try group.settle()
        group.site.post(try alice.replica.remove(bob.keys.id, keys: alice.keys))
        for _ in 0..<2 { try alice.synchronize() }
        try alice.write(1, nil)
        for _ in 0..<2 { try alice.synchronize() }
        #expect(alice.tombstones() == 0)
        let carol = try recovered(in: group, rules)
        try alice.synchronize()
        let later = group.withhold(try #require(alice.replica.own?.id), from: 1)
        try carol.synchronize()
        group.site.segments.merge(later) { _, new in new }
        for _ in 0..<3 { for member in [carol, alice] { try member.synchronize() } }
        #expect(carol.replica.phase == .member)
        return alice.value(1) != nil
    }

    /// Somebody to whom nobody says what the approver knows, as where a recovery key has added the device.
    private static func recovered(in group: SyncGroup, _ rules: SyncRules) throws -> SyncMember {
        let member = try group.newcomer(of: group.alice)
        let founding = try #require(group.alice.replica.circle.entries.first)
        member.replica = Replica(of: member.keys.id, in: try Circle(founding: founding), required: [])
            .unchecked(rules: rules)
        return member
    }

    /// Alice has taken over what Mallory wrote, and it is nowhere else any more.
    private static func lostJournal(_ rules: SyncRules) throws -> Bool {
        let group = try SyncGroup(rules)
        let (alice, bob, mallory) = (group.alice, group.bob, try group.join())
        let own = try #require(mallory.replica.own)
        try mallory.write(1, 10)
        try mallory.publish()
        try alice.read()
        group.site.post(try alice.replica.remove(mallory.keys.id, keys: alice.keys))
        _ = group.withhold(own.id, from: own.tip.number + 1)
        try group.settle()
        #expect(bob.value(1) == 10)
        return !bob.replica.isSettled
    }
}
