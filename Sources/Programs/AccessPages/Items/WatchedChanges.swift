package import KeychainModel
import Synchronization

/// Whether a keychain of the service has changed, as the service tells.
package final class WatchedChanges: KeychainChanges {
    private let count = Atomic<Int64>(0)
    /// Whether nothing is told: then every mark is another one.
    private let isDeaf = Atomic<Bool>(true)

    package init() {}

    package func mark() -> ChangeMark {
        if isDeaf.load(ordering: .acquiring) { count.add(1, ordering: .relaxed) }
        return ChangeMark([count.load(ordering: .acquiring)])
    }

    /// Listens until the service ends, or does not answer.
    package func listen(to keychain: any KeychainService) {
        try? keychain.watch { (_) throws(KeychainError) in
            count.add(1, ordering: .acquiringAndReleasing)
            isDeaf.store(false, ordering: .releasing)
            return true
        }
        isDeaf.store(true, ordering: .releasing)
        count.add(1, ordering: .acquiringAndReleasing)
    }
}
