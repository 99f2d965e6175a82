import Glibc
package import KeychainCircles
package import KeychainModel
import KeychainSync
import KeychainSystem
import SyncTransport
import Synchronization

/// Carries what the devices of a circle write between a keychain and the transport that it names: a round whenever one of them
/// has changed.
///
/// It has no key, and sees what anybody sees who reads the transport.
package final class SyncCarrier: Sendable {
    /// What a carrier has to tell.
    package enum Event: Sendable, Equatable {
        case round(SyncReport)
        /// A round failed, and is tried again. The same failure is told once until a round succeeds.
        case failure(KeychainError)
        /// The keychain belongs to no circle, or the circle has no transport here.
        case idle
    }

    /// Where the blobs of a circle are.
    private struct Site: Equatable {
        /// As the keychain has it.
        let text: String
        let place: TransportPlace
        let circle: SyncHash
        let isMember: Bool
    }

    private let keychain: any CircleService
    private let isHinted: Bool
    private let hints: Hints
    private let tell: @Sendable (Event) -> Void

    /// How long nothing may be heard before a round looks.
    private static let longestPause: Duration = .seconds(60)
    private static let longestRest: Duration = .seconds(2)

    /// - Parameters:
    ///   - isHinted: whether somebody calls `hint` when the keychain changes. Otherwise it is looked at each second.
    ///   - tell: called on the thread that runs this.
    package init(
        _ keychain: any CircleService,
        isHinted: Bool,
        tell: @escaping @Sendable (Event) -> Void
    ) throws(KeychainError) {
        self.keychain = keychain
        self.isHinted = isHinted
        self.tell = tell
        hints = try KeychainError.translating { () throws(SystemError) in Hints(try WakeUp()) }
    }

    /// Says that the keychain has changed. Any thread can do that.
    package func hint() { hints.give() }

    /// Runs until the body says that it is over.
    ///
    /// - Parameter isOver: asked after each event.
    /// - Throws: where the kernel tells of no changes.
    package func run(until isOver: (Event) -> Bool = { _ in false }) throws(KeychainError) {
        var open: (site: Site, transport: any PlacedTransport, changes: any TransportChanges)?
        // Whether the keychain has named this site since the last round. It is asked for that after a round, since a change waits
        // for what comes before.
        var isKnown = false
        var lastTold: Event?
        // Changes that rounds have left, and another one would leave as well. What a program stores during a round is more.
        var left = 0
        var isRepeated = false
        while true {
            let began = ContinuousClock.now
            var event: Event
            do throws(KeychainError) {
                if let site = try isKnown ? open?.site : site() {
                    if open?.site != site {
                        // A program that speaks to the transport goes on where a circle has got another state.
                        let transport = open?.site.place == site.place ? open?.transport : nil
                        open = try Self.watch(site, over: transport ?? site.place.transport)
                        hints.transport.withLock { $0 = open?.changes.wakeUp }
                    }
                    guard let transport = open?.transport else { continue }
                    event = .round(try keychain.synchronize(over: transport, ifAt: site.text))
                } else {
                    open = nil
                    event = .idle
                }
            } catch {
                event = .failure(error)
            }
            // What was tried at a place that the keychain has left says nothing.
            let wasKnown = isKnown
            isKnown = false
            if case .failure(let error) = event, wasKnown || error.code == .invalidParameter, !isRepeated,
                isSite(open?.site) == false
            {
                isRepeated = true
                continue
            }
            isRepeated = false
            if case .round = event {
                tell(event)
                lastTold = event
            } else if event != lastTold {
                tell(event)
                lastTold = event
            }
            if isOver(event) { return }
            if case .round = event {
                let isSite = isSite(open?.site)
                isKnown = isSite == true
                // The next round is over another transport, or there is none.
                if isSite == false { hints.give() }
            }
            // Others write to the keychain as well: rounds leave them half of the time.
            let ended = ContinuousClock.now
            try wait(open?.changes, untilAfter: ended + min(ended - began, Self.longestRest), left: &left)
        }
    }

    /// Whether a site is the one that the keychain names; nil where the keychain does not answer.
    private func isSite(_ known: Site?) -> Bool? {
        do throws(KeychainError) {
            return try site() == known
        } catch {
            return nil
        }
    }

    /// - Returns: nil where there is nothing to carry.
    private func site() throws(KeychainError) -> Site? {
        do throws(KeychainError) {
            let status = try keychain.status()
            guard let place = TransportPlace(status.settings.transport), status.isMember || status.isReading else {
                return nil
            }
            return Site(text: status.settings.transport, place: place, circle: status.circle, isMember: status.isMember)
        } catch {
            guard error.code == .itemNotFound else { throw error }
            return nil
        }
    }

    private static func watch(
        _ site: Site,
        over transport: any PlacedTransport
    ) throws(KeychainError) -> (Site, any PlacedTransport, any TransportChanges) {
        do throws(SyncTransportFailure) {
            return (site, transport, try transport.changes(in: site.circle))
        } catch {
            throw KeychainError(.notAvailable, error.description)
        }
    }

    /// Waits until the transport has changed, or the keychain.
    ///
    /// - Parameter rest: the end of a pause that there is in any case.
    private func wait(
        _ changes: (any TransportChanges)?,
        untilAfter rest: ContinuousClock.Instant,
        left: inout Int
    ) throws(KeychainError) {
        let end = ContinuousClock.now + Self.longestPause
        repeat {
            // A hint that came when nobody waited.
            if hints.take() { break }
            if !isHinted, let now = try? keychain.status().unsent, now != left {
                left = now
                if now > 0 { break }
            }
            let look = isHinted ? end : min(end, .now + .seconds(1))
            let isChanged = try KeychainError.translating { () throws(SystemError) -> Bool in
                if let changes { try changes.wait(until: look) } else { try hints.wait(until: look) }
            }
            if hints.take() || isChanged { break }
        } while ContinuousClock.now < end
        let pause = max(changes?.gathering ?? .zero, rest - .now)
        usleep(UInt32(clamping: Int64(pause / .microseconds(1))))
        _ = hints.take()
    }
}

/// Wakes the thread that waits, whatever it waits for.
private final class Hints: Sendable {
    private let isGiven = Mutex(false)
    private let wakeUp: WakeUp
    let transport = Mutex<WakeUp?>(nil)

    init(_ wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }

    func give() {
        isGiven.withLock { $0 = true }
        wakeUp.signal()
        transport.withLock { $0?.signal() }
    }

    func take() -> Bool {
        wakeUp.clear()
        transport.withLock { $0?.clear() }
        return isGiven.withLock { isGiven in
            defer { isGiven = false }
            return isGiven
        }
    }

    func wait(until end: ContinuousClock.Instant) throws(SystemError) -> Bool {
        try Waiting.wait(for: (wakeUp.number, POLLIN), until: end).contains(true)
    }
}
