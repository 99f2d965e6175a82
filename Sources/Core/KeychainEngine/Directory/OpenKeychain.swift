package import KeychainModel
import Synchronization

/// A keychain that is opened when it is first needed, and anew when another one has taken its place.
///
/// It can be used from any number of threads.
package final class OpenKeychain: Sendable {
    private let opened = Mutex<KeychainEngine?>(nil)
    private let open: @Sendable () throws(KeychainError) -> KeychainEngine
    private let isAbsent: @Sendable () throws(KeychainError) -> Bool

    /// - Parameters:
    ///   - isAbsent: whether there is no keychain so far, and opening it would make one.
    ///   - open: opens the keychain, and makes it where there is none.
    package init(
        isAbsent: @escaping @Sendable () throws(KeychainError) -> Bool = { () throws(KeychainError) in false },
        opening open: @escaping @Sendable () throws(KeychainError) -> KeychainEngine
    ) {
        self.isAbsent = isAbsent
        self.open = open
    }

    /// Runs the body, which may be called more than once: what failed in a keychain that was replaced or repaired
    /// during the call is asked of the one that is there now.
    ///
    /// - Parameter makesKeychain: whether a keychain is made where there is none; otherwise the body gets an empty one.
    package func withEngine<Value>(
        makesKeychain: Bool = true,
        _ body: (KeychainEngine) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try answer(body, makesKeychain: makesKeychain, attempts: 3)
    }

    private func answer<Value>(
        _ body: (KeychainEngine) throws(KeychainError) -> Value,
        makesKeychain: Bool,
        attempts: Int
    ) throws(KeychainError) -> Value {
        let engine = try engine(makesKeychain: makesKeychain)
        do throws(KeychainError) {
            return try body(engine)
        } catch {
            guard attempts > 1, !engine.isCurrent else { throw error }
            opened.withLock { if $0 === engine { $0 = nil } }
            return try answer(body, makesKeychain: makesKeychain, attempts: attempts - 1)
        }
    }

    private func engine(makesKeychain: Bool) throws(KeychainError) -> KeychainEngine {
        // `Mutex.withLock` and typed throws: the result carries the error across.
        try opened.withLock { (state) -> Result<KeychainEngine, KeychainError> in
            Result { () throws(KeychainError) in
                // A folder that was removed or replaced has another database: writing to the old one would lose what
                // is written.
                if let engine = state, engine.isInPlace { return engine }
                state = nil
                if !makesKeychain, try isAbsent() { return try EmptyKeychain.engine() }
                let engine = try open()
                state = engine
                return engine
            }
        }.get()
    }

    /// Lets go of the files until the next call; a keychain in memory stays. No call may be under way.
    ///
    /// - Parameter checkpoints: whether the journal is written back first, if no process is writing.
    package func close(checkpoints: Bool = false) {
        opened.withLock { state in
            guard let engine = state, !engine.isInMemory else { return }
            if checkpoints { engine.checkpointIfFree() }
            engine.close()
            state = nil
        }
    }
}
