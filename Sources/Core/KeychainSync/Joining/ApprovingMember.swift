/// The ceremony at a member that adds a device: one at a time.
package struct ApprovingMember: Sendable {
    private enum State: Sendable {
        case answered
        case revealed(JoinDigits)
        case typed
        case over
    }

    private let request: JoinRequest
    package let answer: JoinAnswer
    private let began: UInt64
    private var state = State.answered

    /// - Parameters:
    ///   - answer: with a nonce of 32 random bytes, which nobody has seen.
    ///   - clock: milliseconds since 1970.
    /// - Throws: `tooManyFailures`.
    package init(
        _ request: JoinRequest,
        answering answer: JoinAnswer,
        limit: JoinLimit,
        clock: UInt64
    ) throws(JoinFailure) {
        try limit.check(clock: clock)
        self.request = request
        self.answer = answer
        began = clock
    }

    /// Takes what the newcomer reveals. Nothing is shown before the owner has typed.
    ///
    /// - Throws: `brokenCommitment`; the ceremony is over then, as after every failure.
    package mutating func take(_ reveal: JoinReveal, clock: UInt64) throws(JoinFailure) {
        try checkTime(clock)
        guard case .answered = state, reveal.ceremony == request.ceremony else { throw .otherCeremony }
        state = .over
        guard JoinRequest.commitment(of: request.card, reveal.nonce) == request.commitment else {
            throw .brokenCommitment
        }
        state = .revealed(JoinDigits(request, answer, reveal))
    }

    /// The owner has typed what the newcomer shows.
    ///
    /// - Returns: the digits to show, which the owner types at the newcomer.
    /// - Throws: `wrongDigits`.
    package mutating func type(_ digits: String, clock: UInt64) throws(JoinFailure) -> String {
        try checkTime(clock)
        guard case .revealed(let expected) = state else { throw .otherCeremony }
        state = .over
        guard JoinDigits.isSame(digits, as: expected.newcomers) else { throw .wrongDigits }
        state = .typed
        return expected.members
    }

    /// Takes the newcomer's consent.
    ///
    /// - Returns: whom to add, and the consent for the entry.
    /// - Throws: `noConsent`.
    package mutating func take(
        _ consent: JoinConsent,
        clock: UInt64
    ) throws(JoinFailure) -> (card: DeviceCard, consent: [UInt8]) {
        try checkTime(clock)
        guard case .typed = state, consent.ceremony == request.ceremony else { throw .otherCeremony }
        state = .over
        let addition = Addition(card: request.card, wraps: [])
        guard addition.isMeant(by: consent.signature, for: answer.circle) else { throw .noConsent }
        return (request.card, consent.signature)
    }

    private func checkTime(_ clock: UInt64) throws(JoinFailure) {
        guard clock >= began, clock - began <= longestCeremony else { throw .expired }
    }
}
