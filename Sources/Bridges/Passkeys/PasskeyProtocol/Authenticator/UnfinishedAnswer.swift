/// What is left of an answer that comes in several messages, for the client that got the first.
struct UnfinishedAnswer<Consent: Sendable>: Sendable {
    enum Rest: Sendable {
        /// Passkeys of several accounts that a log-in may be by.
        case assertions(ArraySlice<Passkey>, AssertionOrder<Consent>)
        case sites(ArraySlice<RelyingParty>)
        case passkeys(ArraySlice<Passkey>)
    }

    var rest: Rest
    let channel: UInt32
    /// In milliseconds of the clock.
    var askedAt: UInt64

    /// - Returns: nil where nothing is left.
    init?(_ rest: Rest, on channel: UInt32, at now: UInt64) {
        switch rest {
        case .assertions(let passkeys, _), .passkeys(let passkeys): if passkeys.isEmpty { return nil }
        case .sites(let sites): if sites.isEmpty { return nil }
        }
        self.rest = rest
        self.channel = channel
        askedAt = now
    }

    /// CTAP 2.1 has 30 seconds between two messages (section 6).
    func isOver(at now: UInt64) -> Bool { now &- askedAt > 30_000 }
}
