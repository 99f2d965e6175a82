/// The rules that simulations leave out one by one, to see that each is needed. Everybody else has all of them.
package struct SyncRules: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A change gets a greater stamp than what it replaces.
    package static let laterThanReplaced = SyncRules(rawValue: 1 << 0)
    /// A change gets a greater stamp than any tombstone that was dropped.
    package static let laterThanDropped = SyncRules(rawValue: 1 << 1)
    /// A tombstone is kept until the bases of all journals were written by those who had read it.
    package static let coveredByBases = SyncRules(rawValue: 1 << 2)
    /// A tombstone is kept until everybody knows all members and ends that are known here.
    package static let knownByAll = SyncRules(rawValue: 1 << 3)
    /// A tombstone is kept until all journals that ended were read to their ends.
    package static let endedWereRead = SyncRules(rawValue: 1 << 4)
    /// What is current and in ended journals alone is written into one's own.
    package static let adoption = SyncRules(rawValue: 1 << 5)
    /// A device that finds its own journal otherwise than it wrote it ends it and begins anew.
    package static let setBack = SyncRules(rawValue: 1 << 6)
    /// A journal with two histories is ended.
    package static let forks = SyncRules(rawValue: 1 << 7)
    /// The first reading is one consistent cut.
    package static let closedCut = SyncRules(rawValue: 1 << 8)
    /// A newcomer reads no journal that is older than its approver knows it.
    package static let knownHeads = SyncRules(rawValue: 1 << 9)
    /// A mark counts if its hash is in one's own history of the journal.
    package static let hashedMarks = SyncRules(rawValue: 1 << 10)
    /// A first reading leaves out ended journals of which others have taken over all.
    package static let endedBeforeAreSkipped = SyncRules(rawValue: 1 << 11)
    /// The stamps' floor is taken from others as well.
    package static let sharedFloor = SyncRules(rawValue: 1 << 12)
    /// An epoch is left when somebody is removed who has its secret.
    package static let freshEpochs = SyncRules(rawValue: 1 << 13)
    /// A journal that ended is not read where another one has taken it over.
    package static let settledAreSkipped = SyncRules(rawValue: 1 << 14)
    /// A device that has read the same as another one and has other items begins anew.
    package static let digests = SyncRules(rawValue: 1 << 15)

    /// A tombstone is kept until everybody has read the bases that it relies on: a journal may be ended by somebody who is behind.
    package static let basesAreRead = SyncRules(rawValue: 1 << 16)

    package static let all = SyncRules(rawValue: (1 << 17) - 1)
}
