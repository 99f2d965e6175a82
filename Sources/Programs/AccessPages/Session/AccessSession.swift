/// The one session that a program of these pages has: an address that opens it once, and a cookie that is its only key
/// from then on. It knows no clock of its own.
package struct AccessSession: Sendable {
    /// How long it stays open without a request.
    package let idleTime: Duration
    /// The name and port that browsers reach the pages by, such as `6f1d….localhost:40123`.
    package let host: String
    private let key = AccessKey()
    private let cookie = AccessKey()
    /// What each form of the pages has in it, and no page of another origin can read.
    package let formToken = AccessKey()
    private var state = State.new
    private var lastUse: ContinuousClock.Instant

    private enum State {
        case new
        case open
        case ended(End)
    }

    /// Why it has ended.
    package enum End: Sendable, Equatable {
        case closed
        case idle
        /// The address was used a second time: one of both who used it has stolen it.
        case addressUsedTwice
    }

    package static let cookieName = "chatelaine"

    package init(host: String, idleTime: Duration, at now: ContinuousClock.Instant) {
        self.host = host
        self.idleTime = idleTime
        lastUse = now
    }

    /// The address that opens it, once.
    package var address: String { "\(origin)/open/\(key.text)" }

    package var origin: String { "http://\(host)" }

    /// What a browser is to send with each request.
    package var cookieText: String { "\(Self.cookieName)=\(cookie.text)" }

    package enum Opening: Sendable, Equatable {
        case opened
        case wrong
        /// It is over for whoever came first as well.
        case usedBefore
    }

    /// Somebody comes with the key of the address.
    package mutating func open(_ text: String, at now: ContinuousClock.Instant) -> Opening {
        guard key.matches(text) else { return .wrong }
        guard case .new = state, end(at: now) == nil else {
            if case .ended = state { return .usedBefore }
            state = .ended(.addressUsedTwice)
            return .usedBefore
        }
        state = .open
        lastUse = now
        return .opened
    }

    /// Whether a request with these cookies belongs to the session. Such a request keeps it open.
    package mutating func admits(_ cookies: [String], at now: ContinuousClock.Instant) -> Bool {
        guard end(at: now) == nil, case .open = state, cookies.contains(where: cookie.matches) else { return false }
        lastUse = now
        return true
    }

    package var isOpen: Bool { if case .open = state { true } else { false } }

    package mutating func close() {
        if case .ended = state { return }
        state = .ended(.closed)
    }

    /// Why it is over; nil while it is not. An address that nobody opens ends like a session that nobody uses.
    package mutating func end(at now: ContinuousClock.Instant) -> End? {
        if case .ended(let end) = state { return end }
        guard lastUse.duration(to: now) >= idleTime else { return nil }
        state = .ended(.idle)
        return .idle
    }
}
