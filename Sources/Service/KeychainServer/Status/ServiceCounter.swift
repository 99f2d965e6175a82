package import KeychainProtocol
import Synchronization

/// Counts what the service does for one user, or for all.
package final class ServiceCounter: Sendable {
    private let counted = Mutex(ServiceCounts())
    private let total: ServiceCounter?

    /// - Parameter total: where all that is counted here counts as well.
    package init(beside total: ServiceCounter? = nil) {
        self.total = total
    }

    package var counts: ServiceCounts { counted.withLock(\.self) }

    func count(_ event: (inout ServiceCounts) -> Void) {
        counted.withLock { event(&$0) }
        total?.count(event)
    }
}
