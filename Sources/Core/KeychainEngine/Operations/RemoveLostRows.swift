import KeychainModel
import KeychainStore
import KeychainVault
import Logging
import Synchronization

/// Rows that were found to be bound to fingers that are not enrolled any more, until they are removed.
final class LostRows: Sendable {
    struct Row: Hashable {
        let itemClass: ItemClass
        let uuid: ItemUUID
        /// That of another sealing is another item.
        let version: [UInt8]
    }

    private let rows = Mutex<Set<Row>>([])

    func note(_ row: SealedRow) {
        rows.withLock { _ = $0.insert(Row(itemClass: row.itemClass, uuid: row.uuid, version: row.version)) }
    }

    func takeAll() -> Set<Row> {
        rows.withLock { rows in
            defer { rows = [] }
            return rows
        }
    }
}

extension KeychainEngine {
    /// Does a call, and removes after it what it has found to be lost. To be called without a transaction.
    func removingLostRows<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        defer { removeLostRows() }
        return try body()
    }

    private func removeLostRows() {
        let rows = lost.takeAll()
        guard !rows.isEmpty else { return }
        do throws(KeychainError) {
            try write(usesReserve: true) { () throws(KeychainError) in
                { (transaction: WriteTransaction) throws(KeychainError) in
                    for row in rows {
                        guard let stored = try transaction.row(row.uuid, of: row.itemClass),
                            stored.row.version == row.version
                        else { continue }
                        try self.remove(stored, in: transaction)
                    }
                }
            }
        } catch {
            // The next read finds them lost again.
            log.warning("items that went with their fingers cannot be removed now: \(error.message)")
        }
    }
}
