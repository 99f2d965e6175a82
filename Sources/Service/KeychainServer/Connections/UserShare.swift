import Dispatch
import KeychainModel

/// What one user has of the service, over all connections.
///
/// Unchecked, since the counts are the table's, which alone uses them and under its lock; semaphores are their own lock.
final class UserShare: @unchecked Sendable {
    /// Under the table's lock.
    var connections = 0
    /// Under the table's lock.
    var handshakes = 0

    let searches: Turnstile
    private let strangers: StrangersWork?

    /// - Parameter strangers: what strangers share; nil for a known user.
    init(limits: ServiceLimits, strangers: StrangersWork? = nil) {
        self.strangers = strangers
        searches = strangers?.searches ?? Turnstile(limits.searchesOfUser)
    }

    /// Whose memory it is that requests take: strangers count as one user.
    var memoryUser: ObjectIdentifier { strangers.map { ObjectIdentifier($0) } ?? ObjectIdentifier(self) }
}

/// What all strangers together may have done at a time: what one user may.
final class StrangersWork: Sendable {
    let searches: Turnstile

    init(limits: ServiceLimits) {
        searches = Turnstile(limits.searchesOfUser)
    }
}

/// Lets so many through at a time, and the others wait.
struct Turnstile: Sendable {
    private let places: DispatchSemaphore

    init(_ count: Int) {
        places = DispatchSemaphore(value: count)
    }

    /// - Throws: `notAvailable` if there is no place in time.
    func enter(before deadline: ContinuousClock.Instant) throws(KeychainError) {
        if places.wait(timeout: .now()) == .success { return }
        let milliseconds = max(0, (deadline - .now) / .milliseconds(1))
        guard places.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success else {
            throw KeychainError(.notAvailable, "the keychain service has too much to do for this user; try again")
        }
    }

    func leave() {
        places.signal()
    }
}
