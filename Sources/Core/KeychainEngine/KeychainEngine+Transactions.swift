import EnclaveInterface
import KeychainModel
import KeychainStore
import KeychainVault

/// Reading and writing with the newest keys: every call passes through one of the two.
extension KeychainEngine {
    /// Does what reads only. If other keys have come meanwhile, it is done again: a row whose key went in the middle, at the
    /// end of a rotation, looks like a damaged one, and would be left out.
    func read<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        for _ in 0..<Self.mostRounds {
            try prepare()
            let generation = vault.state.generation
            let result = Result { () throws(KeychainError) in try body() }
            try vault.refresh()
            if vault.state.generation == generation { return try result.get() }
        }
        throw KeychainError(.notAvailable, "the keychain's keys were changed again and again; try again")
    }

    /// Writes what a step says, in one transaction. If other keys have come meanwhile, what was sealed under older ones
    /// would be lost with them: then all is done again with the new ones.
    ///
    /// - Parameter usesReserve: for what makes room, or has to be possible without any.
    func write<Value>(
        usesReserve: Bool = false,
        _ step: () throws(KeychainError) -> (WriteTransaction) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        for _ in 0..<Self.mostRounds {
            try prepare()
            let generation = vault.state.generation
            let body = try step()
            var isStale = false
            do throws(KeychainError) {
                return try store.write(usesReserve: usesReserve) { (transaction) throws(KeychainError) in
                    isStale = try isOlder(generation, than: transaction)
                    if isStale { throw Header.older }
                    return try body(transaction)
                }
            } catch {
                guard isStale else { throw error }
            }
        }
        throw Header.older
    }

    /// Whether a transaction finds a database that is under newer keys than these.
    func isOlder(_ generation: UInt64, than transaction: WriteTransaction) throws(KeychainError) -> Bool {
        try generation < transaction.header().generation(under: vault)
    }
}
