package import Crypto
package import KeychainModel

/// Where an enclave keeps the keys that outlive a request. They are fetched for each use, and the copy goes with it.
package protocol KeyArena: Sendable {
    /// Keeps a copy of a key of 32 bytes.
    ///
    /// - Throws: `outOfMemory` where there is no room.
    func hold(_ key: SymmetricKey) throws(KeychainError) -> any HeldKey
}

/// A key in an arena. It is erased with the last reference at the latest.
package protocol HeldKey: AnyObject, Sendable {
    /// A copy for one use; nil once the key is erased.
    var key: SymmetricKey? { get }

    /// Overwrites the key. Code that still has a copy may finish with it.
    func erase()
}
