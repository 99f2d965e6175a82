import KeychainModel

/// What was proved, until it is used, forgotten, or the keychain locks.
struct KeptProofs {
    private struct Kept {
        let factors: PresenceFactors
        let password: SecretBytes?
        /// Nil for all.
        let items: Set<ItemUUID>?
        let made: UInt64

        func isOver(at now: UInt64) -> Bool { items != nil && (now < made || now - made > KeptProofs.lifetime) }
    }

    private var kept: [PresenceProof: Kept] = [:]

    /// More than a person gives in a day; then the oldest go.
    private static let most = 1_024
    /// Nanoseconds. A proof for single items is used at once.
    private static let lifetime: UInt64 = 60_000_000_000

    mutating func keep(
        _ factors: PresenceFactors,
        password: SecretBytes?,
        for items: Set<ItemUUID>?
    ) -> PresenceProof {
        let now = StartClock.current.now
        kept = kept.filter { !$0.value.isOver(at: now) }
        while kept.count >= Self.most, let oldest = kept.min(by: { $0.value.made < $1.value.made }) {
            kept[oldest.key] = nil
        }
        let proof = PresenceProof()
        kept[proof] = Kept(factors: factors, password: password, items: items, made: now)
        return proof
    }

    mutating func forget(_ proof: PresenceProof) {
        kept[proof] = nil
    }

    func proved(
        _ proofs: [PresenceProof],
        for item: ItemUUID
    ) -> (factors: PresenceFactors, password: ApplicationPassword?) {
        let now = StartClock.current.now
        var factors: PresenceFactors = []
        var password: SecretBytes?
        for proof in proofs {
            guard let kept = kept[proof], !kept.isOver(at: now), kept.items?.contains(item) ?? true else { continue }
            factors.formUnion(kept.factors)
            password = kept.password ?? password
        }
        return (factors, password.flatMap { try? ApplicationPassword($0) })
    }
}
