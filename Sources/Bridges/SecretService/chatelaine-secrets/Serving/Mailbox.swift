import KeychainModel
import KeychainProtocol
import KeychainSystem
import SecretServiceModel
import Synchronization

/// What other threads have for the one that serves the bus.
final class Mailbox: Sendable {
    enum Letter: Sendable {
        case answer(SecretService.Ticket, StoreResult)
        case event(KeychainEvent)
        case stop
    }

    private let letters = Mutex<[Letter]>([])
    /// Readable while there is a letter.
    let wake: WakeUp

    init() throws(KeychainError) {
        wake = try KeychainError.translating { try WakeUp() }
    }

    func put(_ letter: Letter) {
        letters.withLock { $0.append(letter) }
        wake.signal()
    }

    /// Waits for the first letter, for some seconds, and takes the first ones away: what they tell of is read next.
    func waitForFirst() {
        _ = wake.wait(within: .seconds(5))
        _ = empty()
    }

    func empty() -> [Letter] {
        wake.clear()
        return letters.withLock { letters in
            defer { letters = [] }
            return letters
        }
    }
}
