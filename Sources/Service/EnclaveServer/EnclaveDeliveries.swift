import EnclaveInterface
import KeychainModel
import KeychainSystem
import Synchronization

/// What other threads hand to the loop.
final class EnclaveDeliveries: Sendable {
    let wake: WakeUp
    private let waiting = Mutex<[EnclaveDelivery]>([])

    init(wake: WakeUp) {
        self.wake = wake
    }

    func add(_ delivery: EnclaveDelivery) {
        waiting.withLock { $0.append(delivery) }
        wake.signal()
    }

    func take() -> [EnclaveDelivery] {
        wake.clear()
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

/// What other threads have the loop do.
enum EnclaveDelivery: Sendable {
    case reply([UInt8], to: UInt64)
    case event(EnclaveEvent)
    /// A question was opened for a peer that waits.
    case asked(ItemUUID, uid: UInt32, by: UInt64)
    /// Something for a prompter, which may be waiting for something else meanwhile.
    case tell([UInt8], to: UInt64)
    /// These have not acknowledged an event in time; nil for all that are connected.
    case overdue(Set<UInt64>?)
    /// The process cannot go on, for a reason that the log has.
    case end
}
