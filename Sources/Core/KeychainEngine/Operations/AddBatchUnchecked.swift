import Dispatch
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault
import Synchronization

extension KeychainEngine {
    /// Adds many items in one transaction, and reports none of them.
    ///
    /// Unchecked, since nothing makes way for them as it does in `add`: a tombstone or a damaged row that has the primary
    /// key of one refuses all. It is there to fill keychains of a million items, which would take an hour with a durable
    /// transaction for each; policy decides and the vault seals as ever.
    ///
    /// - Throws: `duplicateItem` where a primary key is taken; what policy refuses. Then nothing was added.
    package func addBatchUnchecked(_ requests: [AddRequest], for caller: Caller) throws(KeychainError) {
        try write { () throws(KeychainError) in
            let sealed = try seal(requests, for: caller)
            return { (transaction) throws(KeychainError) in
                for item in sealed { try transaction.insert(item) }
            }
        }
    }

    /// On all processors at once.
    private func seal(_ requests: [AddRequest], for caller: Caller) throws(KeychainError) -> [SealedItem] {
        let now = Self.now
        let parts = stride(from: 0, to: requests.count, by: 256).map {
            requests[$0..<min($0 + 256, requests.count)]
        }
        let sealed = Mutex<[Int: Result<[SealedItem], KeychainError>]>([:])
        DispatchQueue.concurrentPerform(iterations: parts.count) { number in
            let items = Result { () throws(KeychainError) in try self.seal(parts[number], for: caller, now: now) }
            sealed.withLock { $0[number] = items }
        }
        var items: [SealedItem] = []
        for number in parts.indices { items += try sealed.withLock({ $0[number] })?.get() ?? [] }
        return items
    }

    private func seal(
        _ requests: ArraySlice<AddRequest>,
        for caller: Caller,
        now: Double
    ) throws(KeychainError) -> [SealedItem] {
        var sealed: [SealedItem] = []
        for request in requests {
            sealed.append(try vault.seal(policy.authorize(request, for: caller), now: now))
        }
        return sealed
    }
}
