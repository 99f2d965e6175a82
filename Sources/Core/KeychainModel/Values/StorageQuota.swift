import Synchronization

/// How much one keychain may hold. The code that opens the keychain sets it, and may change it later.
package final class StorageQuota: Sendable {
    package struct Limit: Sendable, Equatable {
        /// Of the database, in bytes.
        package var bytes: Int64
        /// Rows of all classes; a tombstone is one too.
        package var items: Int64

        package init(bytes: Int64, items: Int64) {
            self.bytes = bytes
            self.items = items
        }

        /// The smaller of both, number by number.
        package func tightened(by other: Limit) -> Limit {
            Limit(bytes: min(bytes, other.bytes), items: min(items, other.items))
        }
    }

    /// How much is in use.
    package struct Usage: Sendable, Equatable {
        package var bytes: Int64
        package var items: Int64

        package init(bytes: Int64, items: Int64) {
            self.bytes = bytes
            self.items = items
        }
    }

    private let bytes: Atomic<Int64>
    private let items: Atomic<Int64>

    package init(_ limit: Limit) {
        bytes = Atomic(limit.bytes)
        items = Atomic(limit.items)
    }

    package var limit: Limit {
        get { Limit(bytes: bytes.load(ordering: .relaxed), items: items.load(ordering: .relaxed)) }
        set {
            bytes.store(newValue.bytes, ordering: .relaxed)
            items.store(newValue.items, ordering: .relaxed)
        }
    }
}
