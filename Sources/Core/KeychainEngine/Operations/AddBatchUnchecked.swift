package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

extension KeychainEngine {
    /// Adds many items in one transaction, and reports none of them.
    ///
    /// Unchecked, since nothing makes way for them as it does in `add`: a tombstone or a damaged row that has the primary
    /// key of one refuses all. It is there to fill keychains of a million items, which would take an hour with a durable
    /// transaction for each; policy decides and the vault seals as ever.
    ///
    /// - Throws: `duplicateItem` where a primary key is taken; what policy refuses. Then nothing was added.
    package func addBatchUnchecked(_ requests: [AddRequest], for caller: Caller) throws(KeychainError) {
        let now = Self.now
        let sealing = PartedWork { (requests: ArraySlice<AddRequest>) in
            Result { () throws(KeychainError) in
                var sealed: [SealedItem] = []
                for request in requests {
                    sealed.append(try self.vault.seal(self.policy.authorize(request, for: caller), now: now))
                }
                return sealed
            }
        }
        for first in stride(from: 0, to: requests.count, by: 256) {
            sealing.submit(requests[first..<min(first + 256, requests.count)])
        }
        let parts = sealing.finish()
        try store.write { (transaction) throws(KeychainError) in
            for part in parts {
                for item in try part.get() { try transaction.insert(item) }
            }
        }
    }
}
