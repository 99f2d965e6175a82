/// What a record says of its item. Records with the same version say the same, in whichever journals.
package struct Version: Hashable, Comparable, Sendable {
    private static let tag = "chatelaine sync version 1"

    package let stamp: UInt64
    /// Of the item's encoding; nil for a tombstone.
    package let digest: SyncHash?

    package init(stamp: UInt64, digest: SyncHash?) {
        self.stamp = stamp
        self.digest = digest
    }

    package var isTombstone: Bool { digest == nil }

    /// What a record names the version by that it replaces.
    package var hash: SyncHash {
        var writer = SyncWriter()
        writer.append(number: stamp)
        writer.append(digest ?? .zero)
        return SyncHash(of: writer.bytes, tag: Self.tag)
    }

    /// The greater is current. All devices put versions into this order: by stamp; an item before a tombstone; by digest, of
    /// which the smaller wins.
    package static func < (one: Version, other: Version) -> Bool {
        if one.stamp != other.stamp { return one.stamp < other.stamp }
        guard let first = one.digest else { return false }
        guard let second = other.digest else { return true }
        return first > second
    }
}
