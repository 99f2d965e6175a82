/// The ceremony at a device that wants to become a member.
///
/// It shows six digits, which its owner types at the member, and lets the owner type six that the member shows. There is no
/// question that could be answered with yes.
package struct JoiningDevice: Sendable {
    private enum State: Sendable {
        case requested
        case revealed(JoinAnswer, JoinDigits)
        case consented(JoinAnswer)
    }

    package let request: JoinRequest
    private let nonce: SyncHash
    private let began: UInt64
    private var state = State.requested

    /// - Parameters:
    ///   - nonce: 32 random bytes.
    ///   - clock: milliseconds since 1970.
    package init(_ card: DeviceCard, ceremony: SyncName, nonce: SyncHash, clock: UInt64) {
        request = JoinRequest(ceremony: ceremony, card: card, nonce: nonce)
        self.nonce = nonce
        began = clock
    }

    /// Takes a member's answer.
    ///
    /// - Returns: what to send, and what to show: the digits that the owner types at the member.
    package mutating func take(
        _ answer: JoinAnswer,
        clock: UInt64
    ) throws(JoinFailure) -> (reveal: JoinReveal, shown: String) {
        try checkTime(clock)
        // A second answer would be a second guess.
        guard case .requested = state, answer.ceremony == request.ceremony else { throw .otherCeremony }
        let reveal = JoinReveal(ceremony: request.ceremony, nonce: nonce)
        let digits = JoinDigits(request, answer, reveal)
        state = .revealed(answer, digits)
        return (reveal, digits.newcomers)
    }

    /// The owner has typed what the member shows.
    ///
    /// - Parameter sign: signs with this device's key.
    /// - Throws: `wrongDigits`, and what signing throws; the ceremony is over then.
    package mutating func type(
        _ digits: String,
        clock: UInt64,
        sign: (SyncStatement) throws -> [UInt8]
    ) throws -> JoinConsent {
        try checkTime(clock)
        guard case .revealed(let answer, let expected) = state else { throw JoinFailure.otherCeremony }
        // One guess.
        state = .requested
        guard JoinDigits.isSame(digits, as: expected.members) else { throw JoinFailure.wrongDigits }
        let consent = try sign(Addition.consent(of: request.card, to: answer.circle))
        state = .consented(answer)
        return JoinConsent(ceremony: request.ceremony, signature: consent)
    }

    /// The circle that the owner has joined by typing, and the heads without which it is not to be believed.
    ///
    /// - Parameter founding: the circle's first entry, as the transport has it.
    /// - Returns: nil before, and for the entry of another circle.
    package func replica(founding: Entry) throws(SyncRefusal) -> Replica? {
        guard case .consented(let answer) = state else { return nil }
        let circle = try Circle(founding: founding)
        guard circle.id == answer.circle else { throw .otherCircle }
        return Replica(of: request.card.id, in: circle, required: answer.heads)
    }

    /// The answer that the owner has joined by.
    package var accepted: JoinAnswer? {
        guard case .consented(let answer) = state else { return nil }
        return answer
    }

    private func checkTime(_ clock: UInt64) throws(JoinFailure) {
        guard clock >= began, clock - began <= longestCeremony else { throw .expired }
    }
}
