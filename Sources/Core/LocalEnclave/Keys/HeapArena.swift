package import Crypto
package import KeychainModel
import Synchronization

/// Keeps keys on the heap: swift-crypto overwrites them when they are released.
package struct HeapArena: KeyArena {
    package init() {}

    package func hold(_ key: SymmetricKey) throws(KeychainError) -> any HeldKey { HeapKey(key) }

    private final class HeapKey: HeldKey {
        private let held: Mutex<SymmetricKey?>

        init(_ key: SymmetricKey) {
            held = Mutex(key)
        }

        var key: SymmetricKey? { held.withLock { $0 } }

        func erase() {
            held.withLock { $0 = nil }
        }
    }
}
