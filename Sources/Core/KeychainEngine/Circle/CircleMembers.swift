package import EnclaveInterface
import KeychainCircles
import KeychainDeviceKeys
package import KeychainModel
import KeychainPolicy
import KeychainStore
package import KeychainSync
import KeychainVault
import Synchronization

/// How devices come into a circle, and leave it. What needs the owner, its enclave asks for: digits are typed there, and changes
/// are allowed there, before they are made here.
extension KeychainCircle {
    // MARK: - A new circle

    /// Founds a circle with this device in it.
    ///
    /// - Throws: `noPermission` where the owner has not allowed it; `duplicateItem` where the keychain belongs to one.
    package func found() throws(KeychainError) -> CircleID {
        let keys = try keys()
        var random = SystemRandomNumberGenerator()
        let nameKey = SecretBytes((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        guard try replica() == nil else { throw Self.belongsToOne }
        let founded = try CircleFailure.translating {
            try Replica.founding(keys.card, salt: Self.salt(), nameKey: nameKey, keys: keys).replica
        }
        try begin(founded)
        return founded.circle.id
    }

    private static let belongsToOne = KeychainError(
        .duplicateItem,
        "the keychain belongs to a circle of devices; leave that first"
    )

    /// Stores a replica where there is none.
    private func begin(_ replica: Replica) throws(KeychainError) {
        try engine.write(usesReserve: true) { () throws(KeychainError) in
            { (transaction: WriteTransaction) throws(KeychainError) in
                guard try transaction.reading.circlePiece(Key.state) == nil else { throw Self.belongsToOne }
                try self.save(replica, since: nil, in: transaction)
            }
        }
    }

    // MARK: - A newcomer

    /// Begins the ceremony in which a member adds this device.
    ///
    /// - Returns: the first message, for a member.
    package func requestToJoin() throws(KeychainError) -> JoinRequest {
        guard try replica() == nil else { throw Self.belongsToOne }
        return try message(.begin) { (bytes) throws(SyncRefusal) in try JoinRequest(bytes) }
    }

    /// Takes a member's answer. The enclave has digits to show after that, and waits for others.
    ///
    /// - Returns: the next message, for the member.
    package func take(_ answer: JoinAnswer) throws(KeychainError) -> JoinReveal {
        try message(.answer, answer.encoded) { (bytes) throws(SyncRefusal) in try JoinReveal(bytes) }
    }

    /// Joins the circle that the owner has consented to by typing digits. From then on rounds read it.
    ///
    /// - Parameters:
    ///   - answer: that was taken.
    ///   - founding: the circle's first entry, as a transport has it.
    /// - Returns: the last message, for the member.
    /// - Throws: `itemNotFound` before the owner has typed the digits; `notAvailable` for another circle's entry.
    package func join(_ answer: JoinAnswer, founding: Entry) throws(KeychainError) -> JoinConsent {
        let consent = try message(.fetchConsent) { (bytes) throws(SyncRefusal) in try JoinConsent(bytes) }
        let keys = try keys()
        let replica = try CircleFailure.translating {
            let circle = try Circle(founding: founding)
            guard circle.id == answer.circle else { throw SyncRefusal.otherCircle }
            // The enclave keeps its own list of members, from the first entry on.
            try keys.note(founding)
            return Replica(of: keys.card.id, in: circle, required: answer.heads)
        }
        try begin(replica)
        return consent
    }

    private func message<Message>(
        _ step: SyncCeremonyStep,
        _ bytes: [UInt8] = [],
        _ read: ([UInt8]) throws(SyncRefusal) -> Message
    ) throws(KeychainError) -> Message {
        let reply = try engine.vault.enclave.answer(SyncCeremonyRequest(step, bytes))
        return try CircleFailure.translating { try read(reply) }
    }

    // MARK: - A member

    /// Answers a device that asks to be added. One at a time.
    ///
    /// - Returns: the answer, for the newcomer.
    package func answer(_ request: JoinRequest) throws(KeychainError) -> JoinAnswer {
        guard let replica = try replica() else { throw CircleFailure.noCircle }
        guard replica.isSettled else {
            throw KeychainError(
                .notAvailable,
                "this device has not read all of the circle yet; synchronize, and try again"
            )
        }
        let draft = JoinAnswer(to: request, of: replica, card: try keys().card)
        var fields = SyncWriter()
        fields.append(field: request.encoded)
        fields.append(field: draft.encoded)
        return try message(.request, fields.bytes) { (bytes) throws(SyncRefusal) in try JoinAnswer(bytes) }
    }

    /// Takes what the newcomer reveals. The enclave waits for the newcomer's digits after that.
    package func take(_ reveal: JoinReveal) throws(KeychainError) {
        _ = try engine.vault.enclave.answer(SyncCeremonyRequest(.reveal, reveal.encoded))
    }

    /// Adds the newcomer, once the owner has typed the digits on both devices. Others hear of it by the next round.
    package func add(_ card: DeviceCard, _ consent: JoinConsent) throws(KeychainError) {
        _ = try engine.vault.enclave.answer(SyncCeremonyRequest(.consent, consent.encoded))
        try changeAsMember { (replica, keys) in _ = try replica.add(card, consent: consent.signature, keys: keys) }
    }

    /// Adds a recovery key that the owner has allowed.
    ///
    /// - Parameter consent: the key's signature (`RecoveryKey.consent`).
    package func add(_ key: DeviceCard, consent: [UInt8]) throws(KeychainError) {
        guard key.kind == .recovery else {
            throw KeychainError(.invalidParameter, "that is a device, which only a ceremony adds")
        }
        try changeAsMember { (replica, keys) in _ = try replica.add(key, consent: consent, keys: keys) }
    }

    /// Removes a device or a recovery key, for good; this device too. The owner has allowed it.
    ///
    /// Others hear of it by the next round.
    package func remove(_ device: DeviceID) throws(KeychainError) {
        try changeAsMember { (replica, keys) in
            guard replica.circle.state.members[device] != nil else {
                throw KeychainError(.itemNotFound, "no member of the circle has this identifier")
            }
            _ = try replica.remove(device, keys: keys)
            // What is written after this is sealed for those who are left.
            if device != keys.card.id { _ = try replica.keepUp(clock: Self.clock, keys: keys) }
        }
        try forgetNames(of: device)
    }

    private func changeAsMember(
        _ body: @escaping (inout Replica, EnclaveDeviceKeys) throws -> Void
    ) throws(KeychainError) {
        let keys = try keys()
        let done: Void? = try change { (replica, _) throws(KeychainError) in
            var next = replica
            try CircleFailure.translating { try body(&next, keys) }
            replica = next
        }
        guard done != nil else { throw CircleFailure.noCircle }
    }

    /// Takes the circle as it is here, although a device once read newer journals: the owner has decided that these are lost.
    ///
    /// - Parameter token: for `synchronize`; it is used up.
    package func acceptOlder(_ token: AuthorizationToken) throws(KeychainError) {
        try engine.policy.requireSynchronization(token, by: engine.vault.enclave)
        let done: Void? = try change { (replica, _) in replica.acceptOlder() }
        guard done != nil else { throw CircleFailure.noCircle }
    }

    /// Forgets the circle. All items stay, and are this keychain's alone from then on. The owner has let the enclave forget it.
    ///
    /// - Parameter token: for `synchronize`; it is used up.
    package func forget(_ token: AuthorizationToken) throws(KeychainError) {
        try engine.policy.requireSynchronization(token, by: engine.vault.enclave)
        try engine.write(usesReserve: true) { () throws(KeychainError) in
            { (transaction: WriteTransaction) throws(KeychainError) in try transaction.removeCircle() }
        }
        memory.lastRound.withLock { $0 = .init() }
        try forgetNames()
    }
}
