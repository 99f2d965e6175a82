import CKeychainLinux
import Glibc
import KeychainModel
import KeychainProtocol
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
    let wake: Int32

    init() throws(KeychainError) {
        wake = clinux_event()
        guard wake >= 0 else { throw KeychainError(errno: errno, "there are no descriptors left") }
        _ = fcntl(wake, F_SETFL, O_NONBLOCK)
    }

    deinit { close(wake) }

    func put(_ letter: Letter) {
        letters.withLock { $0.append(letter) }
        var one: UInt64 = 1
        _ = unsafe write(wake, &one, MemoryLayout<UInt64>.size)
    }

    /// Waits for the first letter, for some seconds, and takes the first ones away: what they tell of is read next.
    func waitForFirst() {
        var state = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&state, 1, 5_000)
        _ = empty()
    }

    func empty() -> [Letter] {
        var count: UInt64 = 0
        _ = unsafe read(wake, &count, MemoryLayout<UInt64>.size)
        return letters.withLock { letters in
            defer { letters = [] }
            return letters
        }
    }
}
