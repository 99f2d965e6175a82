package import KeychainModel
package import KeychainSync

/// A device's part in the ceremony that brings it into a circle, over a transport. Each step does what can be done now, and waits
/// for nobody.
package struct Joining: Sendable {
    private let keychain: any CircleService
    package let circle: CircleID
    private let request: JoinRequest
    private var answer: JoinAnswer?

    /// Asks the circle's members to be added.
    ///
    /// - Throws: `duplicateItem` where the keychain belongs to a circle, or a ceremony is under way.
    package init(
        of keychain: some CircleService,
        to circle: CircleID,
        over transport: some SyncTransport
    ) throws(KeychainError) {
        self.keychain = keychain
        self.circle = circle
        request = try keychain.requestToJoin()
        try write(request.encoded, step: 1, over: transport)
    }

    /// What tells this request from others, on both devices: the first eight digits of its name.
    package var number: String { String(request.ceremony.text.prefix(8)) }

    private func write(_ bytes: [UInt8], step: UInt8, over transport: some SyncTransport) throws(KeychainError) {
        try CircleFailure.translating {
            try transport.write(bytes, as: .join(request.ceremony, step: step), in: circle)
        }
    }

    /// Takes a member's answer, if it is there.
    ///
    /// - Returns: whether the enclave has digits to show now.
    package mutating func takeAnswer(over transport: some SyncTransport) throws(KeychainError) -> Bool {
        if answer != nil { return true }
        let bytes = try CircleFailure.translating {
            try transport.read(.join(request.ceremony, step: 2), in: circle)
        }
        guard let bytes, let answer = try? JoinAnswer(bytes), answer.circle == circle,
            answer.ceremony == request.ceremony
        else { return false }
        let reveal = try keychain.take(answer)
        self.answer = answer
        try write(reveal.encoded, step: 3, over: transport)
        return true
    }

    /// Joins, once the owner has typed the member's digits.
    package func join(over transport: some SyncTransport) throws(KeychainError) {
        guard let answer else { throw KeychainError(.itemNotFound, "no member has answered") }
        let founding = try CircleReading.founding(of: circle, over: transport)
        let consent = try keychain.join(answer, founding: founding)
        try write(consent.encoded, step: 4, over: transport)
    }

    /// Takes the messages of the ceremony from the transport.
    package func clear(over transport: some SyncTransport) {
        for step in UInt8(1)...4 { try? transport.remove(.join(request.ceremony, step: step), in: circle) }
    }
}
