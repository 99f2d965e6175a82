package import EnclaveInterface
package import KeychainModel
package import KeychainSync
import KeychainSystem

extension CircleService {
    /// Adds this device by the recovery key, where no other device is left.
    ///
    /// - Parameters:
    ///   - owner: of this device, whose enclave has digits typed also in this ceremony, in which the key plays the member.
    ///   - token: for `synchronize`.
    /// - Throws: `noPermission` for a key that does not belong to the circle.
    package func recover(
        _ id: CircleID,
        with key: RecoveryKey,
        over transport: some SyncTransport,
        owner: any EnclaveControl,
        token: AuthorizationToken
    ) throws(KeychainError) {
        let known = try CircleReading.circle(id, over: transport)
        guard known.state.members[key.card.id] != nil else {
            throw KeychainError(
                .noPermission,
                "the recovery key belongs to another circle, or was removed from this one"
            )
        }
        let request = try requestToJoin()
        let clock = UInt64(clamping: FileTime.now.seconds) * 1_000
        try CircleFailure.translating {
            // An answer has a device's card: with the recovery key's own keys, since nothing else is done with it.
            let card = try DeviceCard(
                kind: .device,
                signingKey: key.card.signingKey,
                sealingKey: key.card.sealingKey
            )
            let answer = JoinAnswer(
                to: request,
                of: Replica(of: key.card.id, in: known, required: []),
                card: card,
                nonce: nonce()
            )
            var member = try ApprovingMember(request, answering: answer, limit: JoinLimit(), clock: clock)
            try member.take(try self.take(answer), clock: clock)
            let digits = try member.type(try owner.ceremony().digits, clock: clock)
            _ = try owner.type(digits: SecretBytes(Array(digits.utf8)), with: token)
            let consent = try self.join(answer, founding: known.entries[0])
            let (newcomer, signature) = try member.take(consent, clock: clock)
            let keys = RecoveryKeys(key)
            let added = try Replica.recover(newcomer, consent: signature, in: known, by: key.card.id, keys: keys)
            for entry in added { try transport.write(entry.encoded, as: .entry(entry.hash), in: id) }
        }
    }

    private func nonce() -> SyncHash {
        var random = SystemRandomNumberGenerator()
        return SyncHash((0..<SyncHash.size).map { _ in UInt8.random(in: .min ... .max, using: &random) }) ?? .zero
    }
}
