/// What wins where a backup has an item that the keychain has too.
///
/// For synchronizable items the rule is always that of synchronization, since other devices follow it: the newer
/// modification wins, and of two of the same time the one with the smaller digest.
package enum ConflictRule: String, Sendable, CaseIterable {
    /// The one that was modified last; the keychain's, where both were at the same time.
    case newer
    /// The keychain's.
    case keep
    /// The backup's.
    case replace
}

/// The maker of a backup, as far as a keychain knows it.
package enum BackupOrigin: UInt8, Sendable, CaseIterable {
    /// The device that the keychain is on.
    case thisDevice = 0
    /// Another one, whose backups the owner has accepted before.
    case known = 1
    case unknown = 2
}

/// What became of an item in a backup, or would.
package enum RestoreOutcome: UInt8, Sendable, CaseIterable {
    case added = 0
    /// It took the place of one that the keychain had.
    case replaced = 1
    /// The keychain's own stayed.
    case kept = 2
    /// It is for another device alone.
    case otherDevice = 3
    /// No keychain takes it: it contradicts itself, or is of a kind that no backup may hold.
    case refused = 4
}

/// An item in a backup, and what became of it.
package struct RestoredItem: Sendable, Equatable {
    /// Nil where it is for another device: nothing of it can be read.
    package let itemClass: ItemClass?
    package let accessGroup: String
    /// For people to read.
    package let title: String
    package let outcome: RestoreOutcome

    package init(itemClass: ItemClass?, accessGroup: String, title: String, outcome: RestoreOutcome) {
        self.itemClass = itemClass
        self.accessGroup = accessGroup
        self.title = title
        self.outcome = outcome
    }
}

/// What a restoration did, or would do.
package struct RestoreReport: Sendable, Equatable {
    package let origin: BackupOrigin
    package var counts: [RestoreOutcome: Int]
    /// Each item in the order of the backup, where they were asked for.
    package var items: [RestoredItem]

    package init(origin: BackupOrigin, counts: [RestoreOutcome: Int] = [:], items: [RestoredItem] = []) {
        self.origin = origin
        self.counts = counts
        self.items = items
    }
}
